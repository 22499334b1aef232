/**
 * A value that is made when it is first asked for, and kept. Schemas are made like this: a start
 * that waits for all of them is a good deal slower, and most sessions need few.
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
