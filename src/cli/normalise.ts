import { configDirectory } from '../base/directories.ts';
import { AGENT } from '../base/version.ts';
import { sessionsDirectory } from '../log/location.ts';
import { renderPlatform } from '../loop/prompt.ts';
import { userShell } from '../sandbox/environment.ts';

/** What one run's text holds that another's does not, and what stands for it in a golden. */
export interface RunFacts {
  cwd: string;
  dataDir: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Makes texts of one run comparable with those of another: paths become named
 * placeholders, and each id and digest a numbered one in the order of appearance.
 */
export function createNormaliser(facts: RunFacts): (text: string) => string {
  const sessions = sessionsDirectory(facts.dataDir, facts.cwd);
  const platform = renderPlatform({ platform: process.platform, shell: userShell(facts.env) });
  const seen = new Map<string, string>();
  const counts = new Map<string, number>();
  const numbered = (kind: string) => (found: string) => {
    const known = seen.get(found);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    seen.set(found, `{{${kind}:${count}}}`);
    return `{{${kind}:${count}}}`;
  };
  return (text) => {
    return text
      .replaceAll(sessions, '{{sessions}}')
      .replaceAll(facts.cwd, '{{cwd}}')
      .replaceAll(facts.dataDir, '{{dataDir}}')
      .replaceAll(configDirectory(facts.env), '{{config}}')
      .replaceAll(platform, '{{platform}}')
      .replaceAll(`"version":"${AGENT.version}"`, '"version":"{{version}}"')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '{{time}}')
      .replaceAll(/"delayMs":\d+/g, '"delayMs":"{{delay}}"')
      .replaceAll(/\b[0-9a-f]{64}\b/g, numbered('sha256'))
      .replaceAll(/\bmsg_[0-9a-f]{16}\b/g, numbered('msg'))
      .replaceAll(/\bask_[0-9a-f]{16}\b/g, numbered('ask'))
      .replaceAll(/\bcompaction_[0-9a-f]{16}\b/g, numbered('compaction'))
      .replaceAll(/\b[0-9a-z]{9}-[0-9a-f]{16}\b/g, numbered('session'));
  };
}
