import { UserError } from '../base/errors.ts';
import type { TextFile } from './files.ts';

const BOMS = [
  { encoding: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/**
 * The text of a file's bytes: UTF-8, UTF-16 with a BOM, else any single-byte encoding taken as
 * latin1, which keeps every byte. Throws `UserError` for bytes that are no text. `path` is for the
 * message.
 */
export function decodeText(bytes: Buffer, path: string): TextFile {
  const bom = BOMS.find((one) => one.bytes.every((byte, index) => bytes[index] === byte));
  const body = bom ? bytes.subarray(bom.bytes.length) : bytes;
  const { encoding, text } =
    bom && bom.encoding !== 'utf-8'
      ? decodeUtf16(bom.encoding, body, path)
      : decodePlain(body, path);
  // Where "\r\n" stands throughout, "\n" is easier for everybody; a mixture is left as it is, and
  // so is "\r\r\n", which would not come back.
  const crlf = /\r\n/.test(text) && !/(^|[^\r])\n|\r\r\n/.test(text);
  return {
    text: crlf ? text.replaceAll('\r\n', '\n') : text,
    encoding,
    bom: bom !== undefined,
    eol: crlf ? '\r\n' : '\n',
  };
}

function decodeUtf16(
  encoding: 'utf-16le' | 'utf-16be',
  body: Buffer,
  path: string,
): Pick<TextFile, 'encoding' | 'text'> {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    return { encoding, text: decoder.decode(body) };
  } catch {
    // What the decoder would put in place of the bad bytes could not be written back.
    throw new UserError(`${path} is no valid UTF-16 text, though it begins like one.`);
  }
}

function decodePlain(body: Buffer, path: string): Pick<TextFile, 'encoding' | 'text'> {
  if (body.includes(0)) throw new UserError(`${path} is a binary file; it cannot be used as text.`);
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { encoding: 'utf-8', text: decoder.decode(body) };
  } catch {
    return { encoding: 'latin1', text: body.toString('latin1') };
  }
}

/** The bytes of a text in its file's encoding. Throws `UserError` for what it cannot hold. */
export function encodeText(file: TextFile, path: string): Buffer {
  const text = file.eol === '\r\n' ? file.text.replaceAll(/\r?\n/g, '\r\n') : file.text;
  const body = encodeAs(file.encoding, text, path);
  // Bytes after a UTF-8 BOM that turned out to be no UTF-8 are held as latin1.
  const encoding = file.encoding === 'latin1' ? 'utf-8' : file.encoding;
  const bom = BOMS.find((one) => one.encoding === encoding);
  return file.bom && bom ? Buffer.concat([Buffer.from(bom.bytes), body]) : body;
}

function encodeAs(encoding: TextFile['encoding'], text: string, path: string): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    case 'latin1': {
      const strange = [...text].find((letter) => (letter.codePointAt(0) ?? 0) > 0xff);
      if (strange === undefined) return Buffer.from(text, 'latin1');
      throw new UserError(
        `${path} is in a single-byte encoding that cannot hold ${JSON.stringify(strange)}. ` +
          'Write it without that character, or convert the file to UTF-8 first.',
      );
    }
  }
}
