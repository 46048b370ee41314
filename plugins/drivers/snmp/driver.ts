/** The driver snmp: reads instances together, walks, and sets. */
import {
  type Command,
  type Context,
  isRecord,
  type Output,
  type Outputs,
  PluginError,
  parseExact,
  type Session,
} from "patchbay/plugin";
import { messageOf } from "../shared/message.ts";
import { type Agent, openAgent, TooBig, type Varbind } from "./agent.ts";
import type { ConfigureArgs, QueryArgs } from "./args.ts";
import type { Tools } from "./connection.ts";
import { readFacts } from "./facts.ts";
import { instanceOf, nameOf, objectOf, oidOf, tableOf } from "./names.ts";
import { absence, dataOf, varbindOf } from "./values.ts";
import { asObject, asRecords, walk } from "./walk.ts";

const defaults = { bulk: 25, most: 200_000 } as const;
/** Instances in one request. */
const together = 20;
/** Objects in one `set`, which an agent takes as a whole. */
const mostSet = 100;

export default async function open(tools: Tools, ctx: Context): Promise<Session<QueryArgs, ConfigureArgs>> {
  const agent = await openAgent(tools, ctx);
  const { host } = tools.connection;
  return {
    async queryAll(commands, args, ctx) {
      const names = commands.map(textOf);
      const type = args.type ?? "get";
      if (type !== "get" || names.includes(factsCommand)) return each(names, (name) => one(name, args, ctx));
      return getAll(agent, names, ctx);
    },
    async configure(texts, _, ctx) {
      const varbinds = assignments(texts);
      const answer = await agent.set(varbinds, ctx).catch((error: unknown) => {
        throw error instanceof TooBig ? tooMany() : error;
      });
      return asObject(answer);
    },
    async describe(ctx) {
      const { hostname, ...facts } = await readFacts(agent, ctx);
      return { prompt: `${hostname ?? host}>`, host, ...facts };
    },
    reusable: async () => agent.open(),
    close: async () => agent.close(),
  };

  async function one(
    name: string,
    { type, bulk = defaults.bulk, max_rows: most = defaults.most }: QueryArgs,
    ctx: Context,
  ) {
    if (name === factsCommand) return readFacts(agent, ctx);
    const oid = known(name);
    if (type === "get" || type === undefined) {
      const [output] = await getAll(agent, [name], ctx);
      if (output?.error !== undefined) throw output.error;
      return output?.output;
    }
    if (type === "walk") return asObject(await walk(agent, oid, { bulk, most }, ctx));
    const table = tableOf(oid);
    const root = table?.oid ?? oid;
    return asRecords(await walk(agent, root, { bulk, most }, ctx), table, root);
  }
}

const factsCommand = "facts";
const textOf = (command: Command) => (typeof command === "string" ? command : command.send).trim();

function known(name: string): string {
  const oid = oidOf(name);
  if (oid !== undefined) return oid;
  throw new PluginError(
    "CommandError",
    `"${name.slice(0, 100)}" is not a known name or a number such as 1.3.6.1.2.1.1.5.0.`,
    { command: name, outcome: "none" },
  );
}

/** One command after the other; one that the agent refuses does not stop the others. */
async function each(names: readonly string[], run: (name: string) => Promise<unknown>): Promise<Outputs> {
  const outputs: Output[] = [];
  for (const name of names)
    try {
      outputs.push({ command: name, output: await run(name) });
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
      outputs.push({ command: name, output: null, error });
    }
  return someOf(outputs);
}

/** If none succeeded the job fails. */
function someOf(outputs: readonly Output[]): Outputs {
  const [first] = outputs;
  if (first?.error !== undefined && outputs.every(({ error }) => error !== undefined)) throw first.error;
  return outputs;
}

async function getAll(agent: Agent, names: readonly string[], ctx: Context): Promise<Outputs> {
  const outputs: Output[] = [];
  for (let at = 0; at < names.length; at += together) {
    const some = names.slice(at, at + together);
    const wanted = some.flatMap((name) => {
      const oid = oidOf(name);
      return oid === undefined ? [] : [instanceOf(oid)];
    });
    const answers = new Map((await fitting(agent, wanted, ctx)).map((varbind) => [varbind.oid, varbind]));
    for (const command of some) outputs.push(outputOf(command, answers));
  }
  return someOf(outputs);
}

/** Halves a request whose answer is too big. */
async function fitting(agent: Agent, oids: readonly string[], ctx: Context): Promise<readonly Varbind[]> {
  if (oids.length === 0) return [];
  try {
    return await agent.get(oids, ctx);
  } catch (error) {
    if (!(error instanceof TooBig)) throw error;
    if (oids.length === 1) throw tooMany();
    const half = Math.ceil(oids.length / 2);
    return [
      ...(await fitting(agent, oids.slice(0, half), ctx)),
      ...(await fitting(agent, oids.slice(half), ctx)),
    ];
  }
}

const tooMany = () =>
  new PluginError("CommandError", "The agent answered tooBig: not even one object fits into its answer.");

function outputOf(command: string, answers: ReadonlyMap<string, Varbind>): Output {
  try {
    const oid = instanceOf(known(command));
    const varbind = answers.get(oid);
    const why = varbind === undefined ? "the agent answered about other objects" : absence(varbind.type);
    if (varbind !== undefined && why === undefined)
      return { command, output: dataOf(varbind, objectOf(oid)?.object) };
    throw new PluginError("CommandError", `${nameOf(oid)}: ${why}.`, { command });
  } catch (error) {
    if (error instanceof PluginError) return { command, output: null, error };
    throw error;
  }
}

/** A JSON object of names and values, or lines `name = value`. @throws PluginError DriverError, before anything is sent */
function assignments(texts: readonly string[]): readonly Varbind[] {
  const source = texts.join("\n").trim();
  const entries = source.startsWith("{") ? Object.entries(objectIn(source)) : linesOf(source);
  if (entries.length === 0 || entries.length > mostSet)
    throw new PluginError("DriverError", `config: must have 1 to ${mostSet} objects.`, { outcome: "none" });
  return entries.map(([name, value]) => {
    const oid = oidOf(name);
    const full = oid === undefined ? name : instanceOf(oid);
    return varbindOf(full, value, objectOf(full)?.object);
  });
}

function objectIn(source: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseExact(source);
    if (isRecord(value)) return value;
  } catch (error) {
    throw new PluginError("DriverError", `config: is not JSON: ${messageOf(error)}`, { outcome: "none" });
  }
  throw new PluginError("DriverError", "config: must be an object of names and values.", { outcome: "none" });
}

function linesOf(source: string): readonly (readonly [string, string])[] {
  return source
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.indexOf("=");
      if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
      throw new PluginError("DriverError", `config: "${line.slice(0, 80)}" must be \`name = value\`.`, {
        outcome: "none",
      });
    });
}
