/** Telnet (RFC 854) as a pure machine: bytes in, text and answers out. Never asks for an option: a console server may pass on what we say to a serial line. */

export interface TerminalInfo {
  readonly cols: number;
  readonly rows: number;
  /** Name of the terminal; default vt100. */
  readonly term?: string;
}

export interface TelnetProtocol {
  /** What the far side's bytes mean: text for the terminal, and what to answer at once. */
  receive(chunk: Uint8Array): { text: Uint8Array; answer: Uint8Array };
  /** Text as it goes over the line: its ends of line in the form of the protocol, its 255 doubled. */
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

/** What the far side may do, and what we do when asked: full-duplex typing with its echo, our name and our size. */
const theirs: ReadonlySet<number> = new Set([option.echo, option.suppressGoAhead]);
const supported: ReadonlySet<number> = new Set([
  option.suppressGoAhead,
  option.terminalType,
  option.windowSize,
]);

/** Of a subnegotiation no more is kept: the longest we read has two bytes. */
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
      // Most chunks hold text alone.
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

  /** @returns the byte where it is text. */
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
    // A return that moves to the begin of the line is sent with a NUL behind it.
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
    // The others (go ahead, data mark, no operation) have no meaning for us.
    return undefined;
  }

  function onSubEscape(byte: number, answer: number[]): void {
    if (byte === code.escape) {
      state = "sub";
      keep(byte);
      return;
    }
    // Whatever else it is, the subnegotiation is over.
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

  /** An answer is given to changes alone, or two sides could answer each other for ever (RFC 1143). */
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

/** An end of line is CR LF; a CR alone gets a NUL behind it (RFC 854, "The NVT printer and keyboard"). */
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
