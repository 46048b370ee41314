/** The driver gnmi: one connection with a device, its queries and pushes. */
import type { Context, Session } from "patchbay/plugin";
import type { ConfigureArgs, QueryArgs } from "./args.ts";
import { change, reopen } from "./change.ts";
import { capabilitiesOf, openClient } from "./client.ts";
import type { Tools } from "./connection.ts";
import { push } from "./edit.ts";
import { readFacts, readPlatform } from "./facts.ts";
import { queryAll } from "./query.ts";

export default async function open(tools: Tools, ctx: Context): Promise<Session<QueryArgs, ConfigureArgs>> {
  const client = await openClient(tools, ctx);
  const { host, username } = tools.connection;
  return {
    queryAll: (commands, args, ctx) => queryAll(client, commands, args, ctx),
    configure: (texts, args, ctx) => push(client, texts.join("\n"), args, ctx),
    change: (texts, args, ctx, hold) =>
      change(texts.join("\n"), args, { client, another: (ctx) => openClient(tools, ctx), hold }, ctx),
    reopen: (open, args, ctx, hold) => reopen(open, { client, args, hold }, ctx),
    async describe(ctx) {
      // Refused without the right login.
      const { version, encodings } = capabilitiesOf(await client.capabilities(ctx));
      const { hostname, ...facts } = await readFacts(client, ctx);
      const platform = await readPlatform(client, ctx);
      return {
        prompt: `${username === undefined ? "" : `${username}@`}${hostname ?? host}`,
        host,
        gnmi: version.slice(0, 40),
        encodings: encodings.join(", "),
        ...(platform === undefined ? {} : { device_type: platform }),
        ...facts,
      };
    },
    reusable: async () => client.alive(),
    close: client.close,
  };
}
