/** The driver paramiko: runs the commands of a job in order on one SSH connection. */
import type { Context, Outputs, Session, SshConnection } from "patchbay/plugin";
import { PluginError, withDetail } from "patchbay/plugin";
import { requireTransfer } from "../shared/file-transfer.ts";
import type { ConfigureArgs, QueryArgs } from "./args.ts";
import { lineOf } from "./commands.ts";
import { type Connection, type Tools, targetOf } from "./connection.ts";
import { detachedOn } from "./detached.ts";
import { notDone, run } from "./run.ts";
import { asOneself, asRoot, type Prepared } from "./sudo.ts";
import { transfer } from "./transfer.ts";
import { type Unit, unitsOf } from "./units.ts";

/** A server that is silent for this long is considered dead. */
const proofMs = 5_000;

export default async function open(tools: Tools, ctx: Context): Promise<Session<QueryArgs, ConfigureArgs>> {
  const { connection } = tools;
  const target = await targetOf(tools);
  const server = await tools.ssh.connect(target, ctx);
  if (server.hostKey.warning !== undefined) ctx.warn(server.hostKey.warning);

  async function runAll(
    units: readonly Unit[],
    prepare: (unit: Unit) => Prepared,
    {
      timeout,
      stop_on_error,
      fail_on_error,
    }: Pick<ConfigureArgs, "timeout" | "stop_on_error" | "fail_on_error">,
    ctx: Context,
  ): Promise<Outputs> {
    const outputs: { command: string; output: unknown }[] = [];
    for (const [at, unit] of units.entries()) {
      if (ctx.signal.aborted) throw withOutputs(ctx.signal.reason, outputs);
      try {
        const result = await run(server, unit.text, prepare(unit), { timeout }, ctx);
        outputs.push({ command: unit.text, output: result });
        if (fail_on_error === true && result.exit_status !== 0) throw notDone(unit, result);
        const remaining = units.length - at - 1;
        if (stop_on_error === true && result.exit_status !== 0 && remaining > 0) {
          ctx.warn(
            `command ${at + 1} exited with status ${result.exit_status}: ${remaining} further commands were not run`,
          );
          break;
        }
      } catch (error) {
        throw withOutputs(error, outputs);
      }
    }
    return outputs;
  }

  return {
    async queryAll(commands, args, ctx) {
      requireTransfer(commands, args);
      if (args.file_transfer !== undefined) return transfer(tools, server, args.file_transfer, args, ctx);
      const units = commands.map((command) => ({ text: lineOf(command), script: false }));
      const pty = args.get_pty ?? false;
      const input = args.input === undefined ? {} : { input: args.input };
      const prepare = (unit: Unit): Prepared => {
        const { line, options } = asOneself(unit, args.environment, pty);
        return { line, options: { ...options, ...input } };
      };
      return runAll(units, prepare, args, ctx);
    },
    configureAll: (lines, args, ctx) => {
      const prepare = (unit: Unit) =>
        args.sudo === true ? asRoot(unit, args) : asOneself(unit, args.environment, args.get_pty ?? false);
      return runAll(unitsOf(lines), prepare, args, ctx);
    },
    detached: detachedOn(server),
    describe: (ctx) => describe(server, { host: connection.host, username: target.username }, ctx),
    reusable: async (ctx) => server.alive() && server.answers(proofMs, ctx),
    close: () => server.close(),
  };
}

async function describe(
  server: SshConnection,
  { host, username }: Pick<Connection, "host" | "username">,
  ctx: Context,
) {
  const { stdout } = await server.exec("uname -a", {}, ctx);
  const { type, fingerprint } = server.hostKey;
  const { kex, hostKey, cipher, mac } = server.algorithms;
  return {
    prompt: `${username}@${host}`,
    device_type: "linux",
    host,
    system_info: stdout.trim(),
    host_key: `${type} ${fingerprint}`,
    host_key_algorithm: hostKey,
    kex,
    cipher,
    ...(mac === "" ? {} : { mac }),
  };
}

function withOutputs(error: unknown, outputs: Outputs): unknown {
  const withinCommand =
    error instanceof PluginError && Array.isArray(error.detail?.partial) ? error.detail.partial : [];
  const partial = [...outputs, ...withinCommand];
  return partial.length === 0 ? error : withDetail(error, { partial });
}
