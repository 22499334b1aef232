import { readFileSync } from 'node:fs';

const FILTER = /@agentclientprotocol\/sdk\/dist\/v1\/unstable\/schema\/(zod|guards)\.gen\.js$/;
const COMMENT = /\/\*[^]*?\*\/\n/g;
const DECLARED = /\bconst z[A-Z]/g;
const STATEMENT = /^(export )?const (z\w+) = ([^]*?);\n(?=export |const |function |\/\/)/gm;
const LATE = /\bconst z\w+ = \/\*/g;
const ITEMS = /\bz\.array\((z[A-Z]\w*)\)/g;
const USE = /(?<!const )\b((?:validate\.)?z[A-Z]\w*)\b/g;

const HELPER = `function plainly(build) {
  const { jitless } = z.config();
  z.config({ jitless: true });
  try { return build(); } finally { z.config({ jitless }); }
}
function late(build) {
  let schema;
  return {
    get schema() { return (schema ??= plainly(build)); },
    parse(value) { return this.schema.parse(value); },
  };
}
`;

/**
 * A plugin of esbuild. The protocol library builds some 300 schemas when it is loaded, and a session
 * uses few of them: each is built on first use instead. Throws when the generated files look unlike
 * what is known.
 */
export const lateSchemas = {
  name: 'late schemas',
  setup({ onLoad }) {
    onLoad({ filter: FILTER }, ({ path }) => {
      const source = readFileSync(path, 'utf8').replaceAll(COMMENT, '');
      const late = source.replaceAll(
        STATEMENT,
        (_, exported = '', name, expression) =>
          `${exported}const ${name} = /* @__PURE__ */ late(() => ${expression});\n`,
      );
      const [all, done] = [source.match(DECLARED), late.match(LATE)];
      if (all === null || all.length !== done?.length) {
        throw new Error(`${path}: ${done?.length ?? 0} of ${all?.length ?? 0} schemas were found.`);
      }
      // Most lists are empty: what their items are need not be known for that.
      const contents = late
        .replaceAll(ITEMS, 'z.array(z.lazy(() => $1))')
        .replaceAll(USE, '$1.schema');
      return { contents: HELPER + contents, loader: 'js' };
    });
  },
};
