/** What an agent says of its device: the system group, and the chassis of ENTITY-MIB if there is one. */
import { type Context, PluginError } from "patchbay/plugin";
import * as v from "valibot";
import type { Agent } from "./agent.ts";
import { oidOf, tableOf } from "./names.ts";
import { absence, dataOf } from "./values.ts";
import { asRecords, walk } from "./walk.ts";

const entities = "entPhysicalTable";
/** Large chassis have thousands of entities; the chassis itself is among the first. */
const mostEntities = 20_000;
const entity = v.object({
  entPhysicalClass: v.optional(v.unknown()),
  entPhysicalModelName: v.optional(v.string()),
  entPhysicalSerialNum: v.optional(v.string()),
  entPhysicalSoftwareRev: v.optional(v.string()),
  entPhysicalMfgName: v.optional(v.string()),
});

export async function readFacts(agent: Agent, ctx: Context): Promise<Record<string, string>> {
  const names = ["sysDescr.0", "sysObjectID.0", "sysName.0"];
  const answers = await agent.get(
    names.map((name) => oidOf(name) ?? ""),
    ctx,
  );
  const [description, objectId, name] = answers.map((varbind) =>
    absence(varbind.type) === undefined ? String(dataOf(varbind)) : "",
  );
  const chassis = await chassisOf(agent, ctx);
  const facts: Record<string, string | undefined> = {
    hostname: name,
    model: chassis?.entPhysicalModelName,
    serial: chassis?.entPhysicalSerialNum,
    version: chassis?.entPhysicalSoftwareRev,
    vendor: chassis?.entPhysicalMfgName,
    description: description?.slice(0, 256),
    object_id: objectId,
  };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([fact, text]) => (text ? [[fact, text] as const] : [])),
  );
}

async function chassisOf(agent: Agent, ctx: Context): Promise<v.InferOutput<typeof entity> | undefined> {
  const oid = oidOf(entities) ?? "";
  const table = tableOf(oid);
  const varbinds = await walk(agent, oid, { bulk: 25, most: mostEntities }, ctx).catch((error: unknown) => {
    // Without it the rest is still known.
    if (error instanceof PluginError && ["CommandError", "OutputTooLarge"].includes(error.kind)) return [];
    throw error;
  });
  const rows = asRecords(varbinds, table, oid).flatMap((row) => {
    const read = v.safeParse(entity, row);
    return read.success ? [read.output] : [];
  });
  return rows.find((row) => row.entPhysicalClass === "chassis") ?? rows[0];
}
