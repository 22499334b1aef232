/** Limits of a session's tools; each name ends in its unit. */
export interface ToolLimits {
  /** Bytes of output that one call may give to the model; the rest is cut or spilled to a file. */
  toolOutputBytesMax: number;
  /** Milliseconds that one command may run when the call asks for no other limit. */
  shellTimeoutMs: number;
}
