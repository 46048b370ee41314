/** Fetches inventory devices that match a selector. */
import { isIP } from "node:net";
import * as v from "valibot";
import { deviceRecord, upsertAnswer } from "../../api/inventory/inventory.ts";
import { reader } from "../../api/schema.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Api } from "../service/api.ts";
import type { DeviceFlags, Login } from "../service/submission.ts";

/** Of devices and of groups, which have all that is required of a device. */
export const inventoryEntry = reader(deviceRecord);
const inventoryDevices = v.array(inventoryEntry);
export type InventoryDevice = v.InferOutput<typeof inventoryEntry>;

export const changes = reader(upsertAnswer);
export type Changes = v.InferOutput<typeof changes>;

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
              api.call(`/inventory/device/${encodeURIComponent(name)}`, inventoryEntry),
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
