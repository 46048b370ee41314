/** Fetches inventory devices that match a selector. */
import { isIP } from "node:net";
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import type { Api } from "../service/api.ts";
import type { DeviceFlags, Login } from "../service/submission.ts";

const orNull = v.optional(v.nullable(v.string()), null);
const inventoryDevice = v.looseObject({
  name: v.string(),
  host: orNull,
  platform: orNull,
  driver: orNull,
  site: orNull,
  role: orNull,
  group: orNull,
  tags: v.optional(v.nullable(v.array(v.string())), []),
  enabled: v.optional(v.nullable(v.boolean()), true),
});
const inventoryDevices = v.array(inventoryDevice);
export type InventoryDevice = v.InferOutput<typeof inventoryDevice>;

/** A device or group record. */
export const inventoryEntry = v.looseObject({
  from: v.optional(v.record(v.string(), v.string()), {}),
});

const change = v.looseObject({
  kind: v.string(),
  name: v.string(),
  change: v.string(),
  fields: v.record(v.string(), v.looseObject({ from: v.unknown(), to: v.unknown() })),
});
export const upsertAnswer = v.looseObject({
  added: v.number(),
  changed: v.number(),
  removed: v.number(),
  unchanged: v.number(),
  diff: v.array(change),
});
export type UpsertAnswer = v.InferOutput<typeof upsertAnswer>;

const pageSize = 500;

/** All matching devices, sorted by name. */
export function selectedDevices(
  api: Api,
  query: { readonly select?: string | undefined; readonly group?: string | undefined },
  maxDevices = Number.POSITIVE_INFINITY,
): Promise<InventoryDevice[]> {
  return entriesOf(api, "/inventory/device", query, maxDevices);
}

/** All groups, sorted by name. */
export const allGroups = (api: Api, maxGroups: number): Promise<InventoryDevice[]> =>
  entriesOf(api, "/inventory/group", {}, maxGroups);

/** Fetched page by page. */
async function entriesOf(
  api: Api,
  path: string,
  query: { readonly select?: string | undefined; readonly group?: string | undefined },
  maxDevices: number,
): Promise<InventoryDevice[]> {
  const devices: InventoryDevice[] = [];
  for (let cursor: string | undefined; ; ) {
    const limit = Math.min(pageSize, maxDevices - devices.length);
    const page = await api.page(path, inventoryDevices, {
      query: { ...query, limit, cursor },
    });
    devices.push(...page.data);
    cursor = page.cursor;
    if (cursor === undefined || devices.length >= maxDevices) return devices;
  }
}

/** More names than this are compared with the whole inventory. */
const maxLookUps = 20;
/** As told by a service without inventory, or of a device that the key may not see. */
const notThere = ["NotFound", "Forbidden", "Validation"];

/** The inventory devices among these lower-case names, by lower-case name. */
export async function devicesByName(
  api: Api,
  names: readonly string[],
): Promise<ReadonlyMap<string, InventoryDevice>> {
  const candidates = names.filter((name) => isIP(name) === 0 && name !== "");
  const found =
    candidates.length > maxLookUps
      ? await unlessMissing(selectedDevices(api, {}), [])
      : await Promise.all(
          candidates.map((name) =>
            unlessMissing(
              api.call(`/inventory/device/${encodeURIComponent(name)}`, inventoryDevice),
              undefined,
            ),
          ),
        );
  const wanted = new Set(candidates);
  return new Map(
    found.flatMap((device) => {
      const name = device?.name.toLowerCase() ?? "";
      return device !== undefined && wanted.has(name) ? [[name, device] as const] : [];
    }),
  );
}

async function unlessMissing<T, U>(reading: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ServiceError && notThere.includes(error.kind)) return otherwise;
    throw error;
  }
}

/** Whether flags specify the login; otherwise the inventory does. */
export function saysLogin({ user, credential, askSecret }: DeviceFlags): boolean {
  return user !== undefined || credential !== undefined || askSecret === true;
}

/** Values for all devices override those of the inventory. */
export interface SelectedBulk {
  readonly driver?: string;
  readonly connection_args: Login;
}
