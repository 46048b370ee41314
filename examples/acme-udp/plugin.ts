/** A vendor with a protocol of its own over UDP: a datagram asks, another one answers, and both begin with a number. */
import { type Context, defineDriver, PluginError, secret, type UdpSocket, v } from "patchbay/plugin";

const seconds = v.pipe(v.number(), v.minValue(0.05), v.maxValue(60));

export default defineDriver({
  name: "acme-udp",
  version: "1.0.0",
  connection: v.object({
    host: v.string(),
    port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)), 7_161),
    token: secret(v.pipe(v.string(), v.regex(/^\S+$/, "must be one word"))),
    /** Seconds for each answer, before a question is repeated. */
    timeout: v.optional(seconds, 2),
    repeats: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(5)), 2),
  }),
  query: v.object({}),
  configure: v.object({}),
  strategy: "fifo",
  target: ({ host, port, timeout, repeats }) => ({ host, port, timeout: timeout * (repeats + 1) }),
  commands: "names",
  // Reads are idempotent.
  repeatable: (operation) => operation === "query",

  async open({ connection, udp }, ctx) {
    const { host, port, token, timeout, repeats } = connection;
    const device = exchange(await udp.open({ host, port }, ctx), timeout * 1000);
    const ask = (words: string, times: number, ctx: Context) =>
      device.ask(`${token.reveal()} ${words}`, times, ctx);
    return {
      query: (command, _, ctx) =>
        ask(`get ${typeof command === "string" ? command : command.send}`, repeats + 1, ctx),
      async configure(lines, _, ctx) {
        const answers: string[] = [];
        // Sent once: after a lost answer a second one might set it again.
        for (const line of lines) answers.push(await ask(`set ${line}`, 1, ctx));
        return answers.join("\n");
      },
      describe: async (ctx) => ({ host, prompt: await ask("get name", 1, ctx) }),
      close: async () => device.close(),
    };
  },
});

interface Waiting {
  resolve(answer: string): void;
  reject(error: Error): void;
}

/** Questions and answers on one socket, told apart by their numbers. */
function exchange(socket: UdpSocket, timeoutMs: number) {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  socket.onMessage((datagram) => {
    const [, number, answer = ""] = /^(\d{1,15}) (.*)$/s.exec(Buffer.from(datagram).toString("utf8")) ?? [];
    waiting.get(Number(number))?.resolve(answer);
  });
  // Nobody listens there.
  socket.onError((error) => {
    for (const one of waiting.values()) one.reject(error);
  });

  async function ask(words: string, times: number, ctx: Context): Promise<string> {
    const number = ++last;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let sent = 0;
    function send(): void {
      if (sent++ === times) {
        const requests = times === 1 ? "request" : "requests";
        reject(new PluginError("ReadTimeout", `No answer to ${times} ${requests}.`));
        return;
      }
      try {
        socket.send(Buffer.from(`${number} ${words}`));
      } catch (error) {
        // The task or the lease of the node has ended.
        reject(error);
      }
    }
    const stop = () => reject(ctx.signal.reason);
    waiting.set(number, { resolve, reject });
    ctx.signal.addEventListener("abort", stop, { once: true });
    const timer = setInterval(send, timeoutMs);
    send();
    try {
      return answerOf(await promise);
    } finally {
      clearInterval(timer);
      ctx.signal.removeEventListener("abort", stop);
      waiting.delete(number);
    }
  }
  return { ask, close: () => socket.close() };
}

function answerOf(text: string): string {
  const [, word, rest = ""] = /^(ok|error) (.*)$/s.exec(text) ?? [];
  if (word === "ok") return rest;
  if (word !== "error") throw new PluginError("DriverError", "The device's answer is of another protocol.");
  if (rest === "token") throw new PluginError("AuthenticationFailed", "The device refused the token.");
  throw new PluginError("CommandError", `The device refused: ${rest}.`);
}
