/** The text of a file and what must survive an edit of it. */
export interface TextFile {
  /** Without BOM; line endings as `\n` when the file has `\r\n` throughout, else as they are. */
  text: string;
  /**
   * How the bytes are written: `latin1` stands for any single-byte encoding, kept byte for byte.
   */
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1';
  bom: boolean;
  /** What a `\n` of `text` is in the file. */
  eol: '\n' | '\r\n';
}

/** What is done with a file. */
export type Use = 'read' | 'change';

/** Whether a path (absolute, symbolic links resolved) may be used. */
export type May = (real: string, use: Use) => boolean;

/** Opens the way to the files that `may` allows, until `signal` aborts. */
export type OpenFiles = (may: May, signal: AbortSignal) => Files;

/** How tools reach files. Paths are absolute. Errors are `UserError`s with path and reason. */
export interface Files {
  /**
   * The bytes of a regular file on the disk; refuses directories, devices and pipes instead of
   * hanging.
   */
  readBytes: (path: string) => Promise<Buffer>;
  /**
   * The text of a file as a person has it before them, so unsaved changes count; refuses binary
   * content. Undefined when no file is there.
   */
  readText: (path: string) => Promise<TextFile | undefined>;
  /**
   * Writes atomically, keeping the mode bits of a file that is there and writing through a symbolic
   * link; makes missing directories.
   */
  writeText: (path: string, file: TextFile) => Promise<void>;
}
