/** What the devices themselves say they are: read from the outputs of a discovery, shown beside what was written of them. */
import * as v from "valibot";

const longest = 256;
const factText = v.pipe(v.string(), v.maxLength(longest));
export const factNames = ["vendor", "model", "version", "serial", "hostname", "os", "platform"] as const;
export type FactName = (typeof factNames)[number];

/** Of one discovery; what the device did not say is absent. `platform` is the one that was found. */
export type DeviceFacts = { readonly [K in FactName]?: string | undefined };

type Told = { -readonly [K in FactName]?: string | undefined };

/** As they are kept: a newer version may have written more. */
const keptFacts = v.object({
  vendor: v.optional(factText),
  model: v.optional(factText),
  version: v.optional(factText),
  serial: v.optional(factText),
  hostname: v.optional(factText),
  os: v.optional(factText),
  platform: v.optional(factText),
});

/** @returns undefined: they can not be read. */
export function readFacts(json: string): DeviceFacts | undefined {
  const result = v.safeParse(keptFacts, JSON.parse(json));
  return result.success ? result.output : undefined;
}

/** A job that discovers: whom, and who asked that a platform which is found be written into the inventory. */
export const discovery = v.strictObject({
  /** Name of the device in the inventory. */
  device: v.string(),
  apply: v.optional(v.strictObject({ keyId: v.string(), name: v.string(), from: v.nullable(v.string()) })),
});
export type Discovery = v.InferOutput<typeof discovery>;

/** What a discovery heard. */
export interface Discovered {
  readonly discovery: Discovery;
  /** The platform that the device was found to be, or was known to be. */
  readonly platform: string | null;
  readonly outputs: readonly {
    readonly command: string;
    readonly output?: unknown;
    readonly json?: string;
  }[];
}

/** Names of the same fact: of NAPALM, and of columns in TextFSM templates, the best first. */
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

/** Beginnings of names of platforms. */
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

/** Of `get_facts`, of parsed records, of a text in which only a version is told from the rest. */
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

/** No template fits: the first word behind `Version`. */
function addText(facts: Told, text: string): void {
  const found = /\bversion:?[ \t]+v?([0-9][\w.()/-]{0,63})/i.exec(text.slice(0, 65_536));
  facts.version ??= found?.[1]?.replace(/[.,]+$/, "");
}

/** Of a stack with several serials the first one. */
function textOf(value: unknown): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof one !== "string" && typeof one !== "number") return undefined;
  const text = String(one)
    .replace(/[\0-\x1f\x7f]+/g, " ")
    .trim()
    .slice(0, longest);
  return text === "" ? undefined : text;
}

/** Not said by anybody, or left for the device to tell. */
export function isOpenPlatform(platform: string | null): boolean {
  return platform === null || /^autodetect/i.test(platform);
}
