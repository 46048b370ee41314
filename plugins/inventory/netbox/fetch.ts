/**
 * Reads devices or virtual machines from NetBox (REST, versions 3 and 4) page by page, and maps them to inventory
 * entries.
 */
import {
  type Context,
  type FetchedInventory,
  InventoryError,
  type InventorySourceTools,
  invalid,
  inventoryTextLimits,
  isSecretName,
  orderedEntries,
  parseExact,
  stringifyExact,
} from "patchbay/plugin";
import * as v from "valibot";
import type { Fields } from "../shared/fields.ts";
import { refusal } from "../shared/source.ts";
import type { Options } from "./options.ts";

type Tools = InventorySourceTools<Options, unknown>;

const slugged = v.nullish(v.looseObject({ slug: v.string() }));
const device = v.looseObject({
  id: v.number(),
  name: v.nullish(v.string()),
  status: v.nullish(v.looseObject({ value: v.string() })),
  primary_ip: v.nullish(v.looseObject({ address: v.string() })),
  platform: slugged,
  site: slugged,
  role: slugged,
  /** Version 3. */
  device_role: slugged,
  tags: v.nullish(v.array(v.looseObject({ slug: v.string() }))),
  custom_fields: v.nullish(v.record(v.string(), v.unknown())),
});
const page = v.looseObject({ count: v.number(), next: v.nullish(v.string()), results: v.array(device) });
type NetboxDevice = v.InferOutput<typeof device>;

const paths = {
  device: "/api/dcim/devices/",
  "virtual-machine": "/api/virtualization/virtual-machines/",
} as const;
const perPage = 500;
const maxPages = 2_000;
const maxBytes = 16 * 1024 * 1024;
/** Of the entries made of all pages. */
const maxTextBytes = 64 * 1024 * 1024;
/** Reads of the whole list, if it changes meanwhile. */
const maxReads = 2;
const pageMs = 60_000;
/** Parameters that a filter must not override. */
const reserved = ["limit", "offset", "format", "exclude", "brief", "fields"];

export default async function fetchNetbox(
  { url, options: { filter, object }, verify, login: { token }, http }: Tools,
  ctx: Context,
): Promise<FetchedInventory> {
  const path = paths[object ?? "device"];
  const first = firstPage(url, path, filter ?? "");
  const session = await http.session(
    {
      base: first.origin,
      headers: {
        Accept: "application/json",
        ...(token === undefined ? {} : { Authorization: schemeOf(token) }),
      },
      timeoutMs: pageMs,
      maxBytes,
      tls: { verify },
    },
    ctx,
  );
  const get = async (page: URL) => {
    const answer = await session.request("GET", `${page.pathname}${page.search}`, {}, ctx);
    if (answer.status !== 200) throw refusal(first.host, answer.status);
    return read(answer.body);
  };
  try {
    for (let reads = 1; ; reads++) {
      const { devices, omissions, received, counted } = await readPages(first, path, get);
      if (received === counted) return { devices, warnings: warningsOf(omissions) };
      // A device that was deleted meanwhile moves the others: one of them is on no page, and a mirror would remove it.
      if (reads === maxReads)
        throw odd(`it counts ${counted} devices and lists ${received}: its list changes, or is not complete`);
    }
  } finally {
    await session.close();
  }
}

type Page = v.InferOutput<typeof page>;

/** @returns an entry per device, and how many devices there were and should have been. */
async function readPages(first: URL, path: string, get: (page: URL) => Promise<Page>) {
  const devices: Fields[] = [];
  const omissions = new Map<string, number>();
  const ids = new Set<number>();
  const visited = new Set<string>();
  let bytes = 0;
  let counted = 0;
  let next: URL | undefined = first;
  for (let pages = 0; next !== undefined; pages++) {
    if (pages >= maxPages || visited.has(next.search)) throw odd("its pages have no end");
    visited.add(next.search);
    const { results, next: further, count } = await get(next);
    counted = count;
    for (const device of results) {
      if (ids.has(device.id)) continue;
      ids.add(device.id);
      const entries = entryOf(device, omissions);
      for (const entry of entries) bytes += stringifyExact(entry).length;
      devices.push(...entries);
    }
    if (ids.size > inventoryTextLimits.devices)
      throw tooLarge(`more than ${inventoryTextLimits.devices} devices`);
    if (bytes > maxTextBytes) throw tooLarge(`more than ${maxTextBytes / 1024 / 1024} MiB`);
    next = further ? following(first, path, further) : undefined;
  }
  return { devices, omissions, received: ids.size, counted };
}

function tooLarge(what: string): InventoryError {
  return new InventoryError("PayloadTooLarge", `NetBox has ${what}: narrow the filter.`);
}

/** Version 2 tokens have a recognizable prefix. */
function schemeOf(token: string): string {
  return token.startsWith("nbt_") ? `Bearer ${token}` : `Token ${token}`;
}

function firstPage(url: string, path: string, filter: string): URL {
  const base = new URL(url);
  const first = new URL(`${base.pathname.replace(/\/(?:api\/?)?$/, "")}${path}`, base.origin);
  for (const [name, value] of new URLSearchParams(filter.replace(/^\?/, ""))) {
    if (reserved.includes(name)) throw invalid("filter", `must not hold ${name}`);
    first.searchParams.append(name, value);
  }
  // Config contexts are large, slow in NetBox, and not used.
  first.searchParams.set("exclude", "config_context");
  first.searchParams.set("limit", String(perPage));
  // A new device is then on the last page, and moves no other.
  first.searchParams.set("ordering", "id");
  return first;
}

/** Behind a proxy NetBox may return another scheme or host: the token is only ever sent to the configured one. */
function following(first: URL, path: string, next: string): URL {
  if (!URL.canParse(next, first.href)) throw odd("its next page has no address");
  const nextPage = new URL(next, first);
  if (!nextPage.pathname.endsWith(path)) throw odd("its next page is not a page of devices");
  const url = new URL(first);
  url.search = nextPage.search;
  return url;
}

function read(body: string): Page {
  let value: unknown;
  try {
    value = parseExact(body);
  } catch {
    throw odd("its answer is not JSON");
  }
  const result = v.safeParse(page, value);
  if (result.success) return result.output;
  throw odd(`its answer is not a list of devices (${v.getDotPath(result.issues[0]) ?? "at the top"})`);
}

function odd(problem: string): InventoryError {
  return new InventoryError("ParseError", `NetBox could not be read: ${problem}.`);
}

/** None if the device has no name. */
function entryOf(device: NetboxDevice, omissions: Map<string, number>): Fields[] {
  const note = (omission: string) => void omissions.set(omission, (omissions.get(omission) ?? 0) + 1);
  const name =
    device.name
      ?.trim()
      .replace(/[^\w.:-]+/g, "-")
      .replace(/^[^A-Za-z0-9]+/, "")
      .slice(0, 128) ?? "";
  if (name === "") {
    note("devices without a name were omitted");
    return [];
  }
  const host = device.primary_ip?.address.replace(/\/\d+$/, "");
  const role = device.role ?? device.device_role;
  const vars: [string, unknown][] = [];
  for (const [field, value] of orderedEntries(device.custom_fields ?? {})) {
    if (isSecretName(field))
      note(`the custom field ${field.slice(0, 64)} was omitted: its name looks like a secret`);
    else if (value !== null) vars.push([field, value]);
  }
  const tags = (device.tags ?? []).map(({ slug }) => slug);
  if (tags.length > 20) note("devices with more than 20 tags have the first 20");
  const fields = {
    name,
    ...(host === undefined ? {} : { host }),
    ...(device.platform ? { platform: device.platform.slug.replaceAll("-", "_") } : {}),
    ...(device.site ? { site: device.site.slug } : {}),
    ...(role ? { role: role.slug } : {}),
    ...(tags.length === 0 ? {} : { tags: tags.slice(0, 20) }),
    ...(vars.length === 0 ? {} : { vars: Object.fromEntries(vars) }),
    enabled: device.status?.value === undefined || device.status.value === "active",
  };
  return [fields];
}

function warningsOf(omissions: ReadonlyMap<string, number>): string[] {
  return [...omissions].slice(0, 50).map(([omission, count]) => `NetBox: ${omission} (${count})`);
}
