/** What a response is made of. */
export interface ResponseParts {
  status: number;
  headers: Headers;
  url: string;
  body: AsyncIterable<Uint8Array>;
}

/**
 * As much of a `Response` as the model client uses, over a body that is any async iterable: it can
 * be read once, as pieces or as a whole. The real one would put two streams in between.
 */
export function toResponse({ status, headers, url, body }: ResponseParts): Response {
  const ok = status >= 200 && status < 300;
  const text = () => readText(body);
  const json = async (): Promise<unknown> => JSON.parse(await text());
  return { ok, status, headers, url, body, text, json } as unknown as Response;
}

/** The whole of a body as text. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return new TextDecoder().decode(Buffer.concat(pieces));
}
