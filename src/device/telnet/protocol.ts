/**
 * Telnet (RFC 854) as a pure state machine: bytes in, text and replies out. It never requests an option, since a
 * console server may pass the request on to a serial line.
 */

export interface TerminalInfo {
  readonly cols: number;
  readonly rows: number;
  /** Terminal type; default vt100. */
  readonly term?: string;
}

export interface TelnetProtocol {
  /** Decodes received bytes: text for the terminal, and the reply to send at once. */
  receive(chunk: Uint8Array): { text: Uint8Array; answer: Uint8Array };
  /** Encodes text for the line: converts line ends and doubles byte 255. */
  encode(text: Uint8Array): Uint8Array;
}

const code = {
  end: 240,
  begin: 250,
  will: 251,
  wont: 252,
  do: 253,
  dont: 254,
  escape: 255,
} as const;

const option = { echo: 1, suppressGoAhead: 3, terminalType: 24, windowSize: 31 } as const;
const terminalType = { is: 0, send: 1 } as const;
const cr = 13;
const lf = 10;
const nul = 0;

/**
 * Options we accept from the peer, and options we enable on request: full duplex with remote echo, terminal type and
 * window size.
 */
const theirs: ReadonlySet<number> = new Set([option.echo, option.suppressGoAhead]);
const supported: ReadonlySet<number> = new Set([
  option.suppressGoAhead,
  option.terminalType,
  option.windowSize,
]);

/** Maximum kept of a subnegotiation: the longest one we read has two bytes. */
const keptBytes = 64;

type State = "text" | "escape" | "option" | "sub" | "sub escape";

export function createTelnetProtocol(terminal: TerminalInfo): TelnetProtocol {
  const enabled = { here: new Set<number>(), there: new Set<number>() };
  let state: State = "text";
  let verb = 0;
  let sub: number[] = [];
  let afterReturn = false;

  return {
    receive(chunk) {
      // Most chunks contain only text.
      const text = new Uint8Array(chunk.length);
      let length = 0;
      const answer: number[] = [];
      for (const byte of chunk) {
        const shown = step(byte, answer);
        if (shown !== undefined) text[length++] = shown;
      }
      return { text: text.subarray(0, length), answer: Uint8Array.from(answer) };
    },
    encode,
  };

  /** @returns the byte if it is text */
  function step(byte: number, answer: number[]): number | undefined {
    switch (state) {
      case "text":
        return onText(byte);
      case "escape":
        return onEscape(byte);
      case "option":
        state = "text";
        negotiate(verb, byte, answer);
        return undefined;
      case "sub":
        if (byte === code.escape) state = "sub escape";
        else keep(byte);
        return undefined;
      case "sub escape":
        onSubEscape(byte, answer);
        return undefined;
    }
  }

  function onText(byte: number): number | undefined {
    const isFiller = afterReturn && byte === nul;
    afterReturn = byte === cr;
    if (byte === code.escape) {
      state = "escape";
      return undefined;
    }
    // A carriage return without a line feed is followed by a NUL.
    return isFiller ? undefined : byte;
  }

  function onEscape(byte: number): number | undefined {
    state = "text";
    if (byte === code.escape) return byte;
    if (byte === code.begin) {
      state = "sub";
      sub = [];
    } else if (byte >= code.will && byte <= code.dont) {
      state = "option";
      verb = byte;
    }
    // The other commands (go ahead, data mark, no operation) are ignored.
    return undefined;
  }

  function onSubEscape(byte: number, answer: number[]): void {
    if (byte === code.escape) {
      state = "sub";
      keep(byte);
      return;
    }
    // Any other command ends the subnegotiation too.
    state = "text";
    if (byte !== code.end) {
      onEscape(byte);
      return;
    }
    const [name, request] = sub;
    if (name === option.terminalType && request === terminalType.send && enabled.here.has(name)) {
      const words = Buffer.from(terminal.term ?? "vt100", "latin1");
      subnegotiate(answer, [option.terminalType, terminalType.is, ...words]);
    }
  }

  function keep(byte: number): void {
    if (sub.length < keptBytes) sub.push(byte);
  }

  /** Replies only to changes; otherwise two peers could answer each other forever (RFC 1143). */
  function negotiate(asked: number, name: number, answer: number[]): void {
    const isAboutUs = asked === code.do || asked === code.dont;
    const isWish = asked === code.do || asked === code.will;
    const side = isAboutUs ? enabled.here : enabled.there;
    const [yes, no] = isAboutUs ? [code.will, code.wont] : [code.do, code.dont];
    if (!isWish) {
      if (side.delete(name)) answer.push(code.escape, no, name);
      return;
    }
    if (side.has(name)) return;
    if (!(isAboutUs ? supported : theirs).has(name)) {
      answer.push(code.escape, no, name);
      return;
    }
    side.add(name);
    answer.push(code.escape, yes, name);
    if (isAboutUs && name === option.windowSize) {
      const { cols, rows } = terminal;
      subnegotiate(answer, [option.windowSize, cols >> 8, cols & 255, rows >> 8, rows & 255]);
    }
  }
}

function subnegotiate(answer: number[], bytes: readonly number[]): void {
  answer.push(code.escape, code.begin);
  for (const byte of bytes) answer.push(...(byte === code.escape ? [byte, byte] : [byte]));
  answer.push(code.escape, code.end);
}

/** A line end is CR LF; a bare CR is followed by a NUL (RFC 854, "The NVT printer and keyboard"). */
function encode(text: Uint8Array): Uint8Array {
  if (!text.some((byte) => byte === cr || byte === lf || byte === code.escape)) return text;
  const line: number[] = [];
  for (const [at, byte] of text.entries()) {
    if (byte === lf && text[at - 1] !== cr) line.push(cr, lf);
    else if (byte === cr && text[at + 1] !== lf) line.push(cr, nul);
    else if (byte === code.escape) line.push(byte, byte);
    else line.push(byte);
  }
  return Uint8Array.from(line);
}
