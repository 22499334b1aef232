/** Who called a command: takes what it writes to stdout, and its exit code where that is not 0. */
export interface Caller {
  write: (text: string) => void;
  exit: (code: number) => void;
}
