/** Queries: paths read one after the other, or subscribed to. */
import { type Command, type Context, type Output, type Outputs, PluginError } from "patchbay/plugin";
import { type Asked, plain, read, shownText, withMetadata } from "./answers.ts";
import { isNamed, type QueryArgs, textOf } from "./args.ts";
import { type Client, capabilitiesOf, depthOf, prefixOf, protoPath } from "./client.ts";
import { readFacts } from "./facts.ts";
import { requirePath } from "./paths.ts";
import { GetRequest_DataType } from "./proto/gnmi_pb.ts";
import { subscribed } from "./subscribe.ts";
import { encodings } from "./values.ts";

const dataTypes = {
  all: GetRequest_DataType.ALL,
  config: GetRequest_DataType.CONFIG,
  state: GetRequest_DataType.STATE,
  operational: GetRequest_DataType.OPERATIONAL,
} as const;

export async function queryAll(
  client: Client,
  commands: readonly Command[],
  args: QueryArgs,
  ctx: Context,
): Promise<Outputs> {
  const { mode = "get" } = args;
  const texts = commands.map(textOf);
  if (mode === "stream")
    return subscribed(
      client,
      mode,
      texts.map((text) => askedOf(text, args)),
      args,
      ctx,
    );
  const outputs: Output[] = [];
  for (const command of texts)
    try {
      if (isNamed(command) || mode === "get")
        outputs.push({ command, output: await one(client, command, args, ctx) });
      else outputs.push(...(await subscribed(client, mode, [askedOf(command, args)], args, ctx)));
    } catch (error) {
      if (!(error instanceof PluginError) || error.kind !== "CommandError") throw error;
      outputs.push({ command, output: null, error });
    }
  const [first] = outputs;
  if (first?.error !== undefined && outputs.every(({ error }) => error !== undefined)) throw first.error;
  return outputs;
}

async function one(client: Client, command: string, args: QueryArgs, ctx: Context): Promise<unknown> {
  if (command === "capabilities") return capabilitiesOf(await client.capabilities(ctx));
  if (command === "facts") return readFacts(client, ctx);
  const asked = askedOf(command, args);
  const prefix = prefixOf(args.prefix, args.target);
  const { notification } = await client.get(
    {
      ...(prefix === undefined ? {} : { prefix }),
      path: [protoPath(asked.path)],
      type: dataTypes[args.data ?? "all"],
      encoding: encodings[await client.encoding(args.encoding, ctx)],
      ...(args.depth === undefined ? {} : { extension: [depthOf(args.depth)] }),
    },
    { seconds: args.timeout },
    ctx,
  );
  const notifications = notification.map(read);
  if (args.metadata === true) return notifications.map(withMetadata);
  const data = plain(notifications, asked.full);
  return args.format === "text" ? shownText(data) : data;
}

/** @throws PluginError DriverError, before anything is sent */
function askedOf(command: string, { prefix }: QueryArgs): Asked {
  const path = requirePath(command, command.slice(0, 100));
  return {
    command,
    path,
    full: prefix === undefined ? path : { origin: prefix.origin, elem: [...prefix.elem, ...path.elem] },
  };
}
