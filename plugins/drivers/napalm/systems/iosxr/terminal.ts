/** The terminal of the XML agent: sends one request at a time and reads up to the prompt after its reply. */
import type { Context, SshChannel } from "patchbay/plugin";
import { PluginError } from "patchbay/plugin";

/** Maximum size of a reply. */
const maxChars = 32 * 1024 * 1024;
/** Limit on rescanned text, summed over all prompts within one reply. */
const maxLooked = 256 * 1024 * 1024;
/** The end of the reply is searched in this many characters. */
const tailChars = 512;

export interface Terminal {
  /**
   * Writes a line and returns the text up to the point where `isWhole` accepts it; `isWhole` is called whenever the
   * text ends with a prompt.
   * @param quietMs limit of the router's silence
   * @throws PluginError ReadTimeout, ConnectionLost, OutputTooLarge; the terminal is closed then
   */
  exchange(line: string, isWhole: (text: string) => boolean, ctx: Context, quietMs?: number): Promise<string>;
  alive(): boolean;
  close(): Promise<void>;
}

interface Waiting {
  readonly isWhole: (text: string) => boolean;
  resolve(text: string): void;
  reject(error: unknown): void;
}

/** `XML>` of the agent, and CLI prompts. */
const promptAtEnd =
  /(?:^|[\r\n]|<\/Response>)(?:XML|RP\/\S{1,200}|\S{1,200}#|[\w.:/-]{1,200}(?=[>#]))[>#]?[ \t]*$/;

export function createTerminal(channel: SshChannel, defaultQuietMs: number): Terminal {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let chars = 0;
  let tail = "";
  let looked = 0;
  let lastDataAt = 0;
  let waiting: Waiting | undefined;
  let ended: PluginError | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  function end(error: PluginError): void {
    ended ??= error;
    parts = [];
    tail = "";
    channel.destroy();
    waiting?.reject(ended);
    waiting = undefined;
  }

  channel.onClose((error) =>
    end(
      error instanceof PluginError
        ? error
        : new PluginError("ConnectionLost", "The router closed the session.", undefined, { cause: error }),
    ),
  );
  channel.onData((chunk) => {
    // Unsolicited output, such as a broadcast message or a second prompt, is dropped.
    if (waiting === undefined || ended !== undefined) return void decoder.decode(chunk, { stream: true });
    const text = decoder.decode(chunk, { stream: true }).replace(/[\r\0]/g, "");
    lastDataAt = performance.now();
    chars += text.length;
    if (chars > maxChars)
      return end(
        new PluginError("OutputTooLarge", `The router's response exceeds ${maxChars / 1024 / 1024} MiB.`),
      );
    parts.push(text);
    tail = (tail + text).slice(-tailChars);
    if (!promptAtEnd.test(tail)) return;
    const received = parts.join("");
    parts = [received];
    looked += received.length;
    if (looked > maxLooked)
      return end(new PluginError("OutputTooLarge", "The router keeps printing prompts within a response."));
    if (!waiting.isWhole(received)) return;
    const { resolve } = waiting;
    waiting = undefined;
    resolve(received);
  });

  /** Closes the terminal after too long a silence: a late reply would be taken for the reply to the next request. */
  function watch(quietMs: number): () => void {
    lastDataAt = performance.now();
    let timer: ReturnType<typeof setTimeout>;
    const checkSilence = () => {
      const leftMs = lastDataAt + quietMs - performance.now();
      if (leftMs > 0) timer = setTimeout(checkSilence, leftMs);
      else end(new PluginError("ReadTimeout", silence(quietMs, parts.join(""))));
    };
    timer = setTimeout(checkSilence, quietMs);
    return () => clearTimeout(timer);
  }

  async function exchangeNow(
    line: string,
    isWhole: Waiting["isWhole"],
    ctx: Context,
    quietMs: number,
  ): Promise<string> {
    if (ended !== undefined) throw ended;
    ctx.signal.throwIfAborted();
    parts = [];
    chars = 0;
    tail = "";
    looked = 0;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    waiting = { isWhole, resolve, reject };
    const stop = watch(Math.min(quietMs, ctx.remaining()));
    const aborted = () => {
      reject(ctx.signal.reason);
      end(new PluginError("ConnectionLost", "The session was closed before the response was complete."));
    };
    ctx.signal.addEventListener("abort", aborted, { once: true });
    try {
      channel.write(line);
      return await promise;
    } finally {
      stop();
      ctx.signal.removeEventListener("abort", aborted);
    }
  }

  return {
    exchange(line, isWhole, ctx, quietMs = defaultQuietMs) {
      const answer = turn.then(() => exchangeNow(line, isWhole, ctx, quietMs));
      turn = answer.catch(() => {});
      return answer;
    },
    alive: () => ended === undefined,
    async close() {
      ended ??= new PluginError("ConnectionLost", "The session was closed.");
      await channel.end();
    },
  };
}

function silence(quietMs: number, received: string): string {
  const last = received.trim().slice(-300);
  const lastOutput = last === "" ? "There was no output." : `Last output: ${JSON.stringify(last)}`;
  return `The router sent nothing for ${Math.round(quietMs / 1000)} s. ${lastOutput}`;
}
