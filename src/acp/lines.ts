const NEWLINE = 0x0a;

/** Splits bytes into lines at `\n`, with bounded memory. */
export interface LineSplitter {
  /**
   * The lines that `chunk` completes; `too long` stands once for each line that was passed over.
   */
  push: (chunk: Buffer) => (Buffer | 'too long')[];
  /** What is left when the input has ended. */
  end: () => (Buffer | 'too long')[];
}

/** A splitter that passes over lines of more than `bytesMax` bytes. */
export function createLineSplitter(bytesMax: number): LineSplitter {
  let pieces: Buffer[] = [];
  let length = 0;

  const add = (piece: Buffer) => {
    length += piece.length;
    // A line that is too long is counted on, but no longer kept.
    if (length <= bytesMax) pieces.push(piece);
    else pieces = [];
  };
  const take = (): Buffer | 'too long' => {
    const line = length > bytesMax ? 'too long' : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    return line;
  };

  return {
    push(chunk) {
      const lines: (Buffer | 'too long')[] = [];
      let start = 0;
      for (;;) {
        const end = chunk.indexOf(NEWLINE, start);
        if (end === -1) break;
        add(chunk.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
      return lines;
    },
    end: () => (length === 0 ? [] : [take()]),
  };
}
