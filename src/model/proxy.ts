type Fetch = typeof globalThis.fetch;

const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/**
 * A `fetch` that goes by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of `env`; Node's own knows none
 * of them. Undefined where no proxy is set. A certificate authority of one's own is Node's matter:
 * `NODE_EXTRA_CA_CERTS`.
 */
export function proxyFetch(env: NodeJS.ProcessEnv): Fetch | undefined {
  if (!VARIABLES.some((name) => env[name]?.trim())) return undefined;
  let loaded: Promise<Fetch> | undefined;
  return async (input, init) => {
    loaded ??= load(env);
    return (await loaded)(input, init);
  };
}

async function load(env: NodeJS.ProcessEnv): Promise<Fetch> {
  // Loaded with the first request through a proxy, and by nobody else.
  const { EnvHttpProxyAgent, fetch } = await import('undici');
  const read = (name: string) => env[name.toLowerCase()]?.trim() || env[name]?.trim() || undefined;
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: read('HTTP_PROXY') ?? '',
    httpsProxy: read('HTTPS_PROXY') ?? '',
    noProxy: read('NO_PROXY') ?? '',
  });
  const through = (input: Parameters<Fetch>[0], init?: RequestInit) =>
    fetch(input as string, { ...(init as object), dispatcher }) as unknown as Promise<Response>;
  return through as Fetch;
}
