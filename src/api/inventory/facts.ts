/** Facts reported by devices: extracted from discovery outputs, shown with inventory records. */
import * as v from "valibot";
import { described, moment, named, text } from "../schema.ts";

const longest = 256;
const factText = v.pipe(v.string(), v.maxLength(longest));
export const factNames = ["vendor", "model", "version", "serial", "hostname", "os", "platform"] as const;
export type FactName = (typeof factNames)[number];

/** Facts of one discovery; unknown ones are absent. `platform` is the detected one. */
export type DeviceFacts = { readonly [K in FactName]?: string | undefined };

/** As in the record of a device. */
export const factsRecord = named(
  "DeviceFacts",
  described(
    v.object({
      ...v.entriesFromList(factNames, v.nullable(text)),
      platform: described(v.nullable(text), "The detected platform"),
      discovered_at: v.nullable(moment),
      seen_at: described(v.nullable(moment), "When the device last answered a job"),
      login_failed_at: v.nullable(moment),
      login_error: described(v.nullable(text), "Type of the login error"),
      host_key: described(v.nullable(text), "Type and fingerprint of the learned host key"),
    }),
    "Facts reported by the device or observed by jobs; null: unknown",
  ),
);

type Told = { -readonly [K in FactName]?: string | undefined };

/** The stored form; ignores fields of newer versions. */
const keptFacts = v.object({
  vendor: v.optional(factText),
  model: v.optional(factText),
  version: v.optional(factText),
  serial: v.optional(factText),
  hostname: v.optional(factText),
  os: v.optional(factText),
  platform: v.optional(factText),
});

/** @returns undefined if unreadable. */
export function readFacts(json: string): DeviceFacts | undefined {
  const result = v.safeParse(keptFacts, JSON.parse(json));
  return result.success ? result.output : undefined;
}

/** Discovery part of a job: the device, and who asked to write the detected platform. */
export const discovery = v.strictObject({
  /** Inventory name of the device. */
  device: v.string(),
  apply: v.optional(v.strictObject({ keyId: v.string(), name: v.string(), from: v.nullable(v.string()) })),
});
export type Discovery = v.InferOutput<typeof discovery>;

/** The result of a discovery. */
export interface Discovered {
  readonly discovery: Discovery;
  /** The detected or known platform. */
  readonly platform: string | null;
  readonly outputs: readonly {
    readonly command: string;
    readonly output?: unknown;
    readonly json?: string;
  }[];
}

/** Names of each fact in NAPALM and TextFSM templates, best first. */
const spellings: Readonly<Record<Exclude<FactName, "platform">, readonly string[]>> = {
  vendor: ["vendor"],
  model: ["model", "hardware", "platform", "hw_model", "chassis", "product", "device_model"],
  version: [
    "os_version",
    "version",
    "software_version",
    "sw_version",
    "os",
    "software_image",
    "release",
    "image",
  ],
  serial: ["serial_number", "serial", "serial_num", "chassis_serial", "sn", "system_serial"],
  hostname: ["hostname", "host_name", "system_name", "name"],
  os: [],
};

/** Vendors by platform name prefix. */
const vendors: Readonly<Record<string, string>> = {
  arista: "Arista",
  aruba: "Aruba",
  checkpoint: "Check Point",
  ciena: "Ciena",
  cisco: "Cisco",
  dell: "Dell",
  extreme: "Extreme",
  f5: "F5",
  fortinet: "Fortinet",
  hp: "HPE",
  huawei: "Huawei",
  juniper: "Juniper",
  mikrotik: "MikroTik",
  nokia: "Nokia",
  paloalto: "Palo Alto Networks",
  ubiquiti: "Ubiquiti",
  vyos: "VyOS",
};

/** Extracts facts from `get_facts`, parsed records, or plain text (version only). */
export function factsOf({ platform, outputs }: Discovered): DeviceFacts {
  const facts: Told = {};
  for (const { output, json } of outputs) {
    const value: unknown = json === undefined ? output : JSON.parse(json);
    if (typeof value === "string") addText(facts, value);
    else for (const record of Array.isArray(value) ? value : [value]) addRecord(facts, record);
  }
  if (platform !== null) {
    const brand = Object.keys(vendors).find((name) => platform === name || platform.startsWith(`${name}_`));
    facts.vendor ??= brand === undefined ? undefined : vendors[brand];
    facts.os = platform.slice(0, longest);
    facts.platform = platform.slice(0, longest);
  }
  return facts;
}

function addRecord(facts: Told, record: unknown): void {
  if (typeof record !== "object" || record === null) return;
  const members = new Map(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [fact, names] of Object.entries(spellings) as [FactName, readonly string[]][])
    facts[fact] ??= names.map((name) => textOf(members.get(name))).find((text) => text !== undefined);
}

/** Without a template: the first word after `Version`. */
function addText(facts: Told, text: string): void {
  const found = /\bversion:?[ \t]+v?([0-9][\w.()/-]{0,63})/i.exec(text.slice(0, 65_536));
  facts.version ??= found?.[1]?.replace(/[.,]+$/, "");
}

/** The first of several values, as for a stack. */
function textOf(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof one !== "string" && typeof one !== "number") return undefined;
  const text = String(one)
    .replace(/[\0-\x1f\x7f]+/g, " ")
    .trim()
    .slice(0, longest);
  return text === "" ? undefined : text;
}

/** Whether the platform is not set, or is to be detected. */
export function isOpenPlatform(platform: string | null): boolean {
  return platform === null || /^autodetect/i.test(platform);
}
