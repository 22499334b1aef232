import manifest from '../../package.json' with { type: 'json' };

/** This program as it names itself: in `initialize`, and in line 1 of every log. */
export const AGENT = { name: manifest.name, version: manifest.version };
