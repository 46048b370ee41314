/** The driver restconf: reads resources, edits them, and calls operations. */
import {
  type Command,
  type Context,
  type Output,
  type Outputs,
  PluginError,
  type Session,
} from "patchbay/plugin";
import type { ConfigureArgs, QueryArgs } from "./args.ts";
import { type Client, dataOf, etagOf, openClient } from "./client.ts";
import type { Tools } from "./connection.ts";
import { change, push, textOf as shownText } from "./edit.ts";
import { readCapabilities, readFacts, readPlatform } from "./facts.ts";
import { isNamed, type QueryName, textOf } from "./resources.ts";

export default async function open(tools: Tools, ctx: Context): Promise<Session<QueryArgs, ConfigureArgs>> {
  const client = await openClient(tools, ctx);
  const { host, username } = tools.connection;
  return {
    queryAll: (commands, args, ctx) => queryAll(client, commands, args, ctx),
    configure: (texts, args, ctx) => push(texts.join("\n"), args, client, ctx),
    change: (texts, args, ctx) => change(texts.join("\n"), args, client, ctx),
    async describe(ctx) {
      // Refused without the right login, which the models below may not be.
      const path = "yang-library-version";
      const answer = await client.send({ method: "GET", path, accept: "json" }, ctx);
      const library = /\d{4}-\d\d-\d\d/.exec(answer.body)?.[0];
      const { hostname, ...facts } = await readFacts(client, ctx);
      const platform = await readPlatform(client, ctx);
      return {
        prompt: `${username === undefined ? "" : `${username}@`}${hostname ?? host}`,
        host,
        root: client.root,
        ...(library === undefined ? {} : { yang_library: library }),
        ...(platform === undefined ? {} : { device_type: platform }),
        ...facts,
      };
    },
    reusable: async () => true,
    close: client.close,
  };
}

/** One request after the other; one that the server refuses does not stop the others. */
async function queryAll(
  client: Client,
  commands: readonly Command[],
  args: QueryArgs,
  ctx: Context,
): Promise<Outputs> {
  const outputs: Output[] = [];
  for (const command of commands.map(textOf))
    try {
      outputs.push({ command, output: await query(client, command, args, ctx) });
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
      outputs.push({ command, output: null, error });
    }
  const [first] = outputs;
  if (first?.error !== undefined && outputs.every(({ error }) => error !== undefined)) throw first.error;
  return outputs;
}

const named: Readonly<Record<QueryName, (client: Client, ctx: Context) => Promise<unknown>>> = {
  facts: readFacts,
  capabilities: readCapabilities,
  root: async ({ root }) => root,
};

async function query(client: Client, command: string, args: QueryArgs, ctx: Context): Promise<unknown> {
  if (isNamed(command)) return named[command](client, ctx);
  const { encoding = "json", content, depth, fields, with_defaults, timeout } = args;
  const path = client.pathOf(command);
  // What an operation does is unknown: only their list is read.
  if (path.startsWith("operations/"))
    throw new PluginError("DriverError", `${command.slice(0, 100)}: a push calls an operation.`, {
      outcome: "none",
    });
  const answer = await client.send(
    {
      ...{ method: "GET", path, accept: encoding, seconds: timeout },
      query: { content, depth, fields, "with-defaults": with_defaults },
    },
    ctx,
  );
  const found = dataOf(answer, encoding, `GET ${client.root}/${path}`);
  const data = args.format === "text" ? shownText(found) : found;
  if (args.metadata !== true) return data;
  return { etag: etagOf(answer) ?? null, last_modified: answer.headers["last-modified"] ?? null, data };
}
