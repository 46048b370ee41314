/** A system that runs each command in its own SSH `exec` channel, without a terminal. */
import { defineDriver, PluginError, secret, v } from "patchbay/plugin";

const seconds = v.pipe(v.number(), v.minValue(1), v.maxValue(3_600));

export default defineDriver({
  name: "acme-exec",
  version: "1.0.0",
  connection: v.object({
    host: v.string(),
    port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)), 22),
    username: v.string(),
    password: secret(v.string()),
    timeout: v.optional(seconds, 20),
  }),
  query: v.object({ read_timeout: v.optional(seconds, 30) }),
  configure: v.object({ read_timeout: v.optional(seconds, 60) }),
  strategy: "fifo",
  target: ({ host, port }) => ({ host, port }),

  async open({ connection, ssh }, ctx) {
    const { host, port, username, password, timeout } = connection;
    const device = await ssh.connect(
      {
        host,
        port,
        username,
        password,
        connectTimeoutMs: timeout * 1000,
        profile: "modern",
        hostKeyPolicy: "auto_add",
      },
      ctx,
    );
    return {
      query: async (command, { read_timeout }, ctx) => {
        const line = typeof command === "string" ? command : command.send;
        const { stdout, stderr, exitStatus } = await device.exec(
          line,
          { timeoutMs: read_timeout * 1000 },
          ctx,
        );
        return { output: stdout, error: stderr, exit_status: exitStatus };
      },
      configure: async (lines, { read_timeout }, ctx) => {
        const sent: string[] = [];
        const texts: string[] = [];
        for (const line of lines) {
          sent.push(line);
          const { stdout, stderr, exitStatus } = await device.exec(
            line,
            { timeoutMs: read_timeout * 1000 },
            ctx,
          );
          texts.push(stdout);
          if (exitStatus !== 0)
            throw new PluginError("CommandError", `${line} ended with ${exitStatus}.`, {
              command: line,
              output: stderr,
              sent,
            });
        }
        return texts.join("");
      },
      close: () => device.close(),
    };
  },
});
