/** get_users, get_snmp_information and get_config of EOS. */
import { PluginError } from "patchbay/plugin";
import * as v from "valibot";
import { withoutCiscoSecrets } from "../../../common/cisco-secrets.ts";
import { shaped } from "../../../common/shape.ts";
import { linesOf } from "../../../common/text.ts";
import type { User } from "../../../models.ts";
import type { Getter } from "../device.ts";

const users = v.object({
  users: v.record(
    v.string(),
    v.object({
      privLevel: v.optional(v.number(), 0),
      secret: v.optional(v.string(), ""),
      sshAuthorizedKey: v.optional(v.string(), ""),
    }),
  ),
});

export const get_users: Getter<"get_users"> = async (device) => {
  const [response] = await device.json("show users accounts");
  return Object.fromEntries(
    Object.entries(shaped(users, response).users).map(([name, user]): [string, User] => [
      name,
      {
        level: user.privLevel,
        password: user.secret,
        // NAPALM reports no other key types.
        sshkeys: /^ssh-(?:rsa|dss)/.test(user.sshAuthorizedKey) ? [user.sshAuthorizedKey] : [],
      },
    ]),
  );
};

const text = v.nullish(v.string(), "");
const snmp = v.tuple([
  v.object({ chassisId: text }),
  v.object({ location: text }),
  v.object({ contact: text }),
]);
/** Like NAPALM: a community without a mode is left out. */
const community =
  /^snmp-server\s+community\s+(\S+)(?:\s+view\s+\S+)?\s+(ro|rw)?(?:\s+ipv6\s+\S+)?(?:\s+(\S+))?$/;

export const get_snmp_information: Getter<"get_snmp_information"> = async (device) => {
  const [response, [config = ""]] = await Promise.all([
    device.json("show snmp v2-mib chassis", "show snmp v2-mib location", "show snmp v2-mib contact"),
    device.text("show running-config | section snmp-server community"),
  ]);
  const [{ chassisId }, { location }, { contact }] = shaped(snmp, response);
  const communities = linesOf(config).flatMap((line) => {
    const [, name, mode = "", acl = ""] = community.exec(line.slice(0, 500)) ?? [];
    return name === undefined ? [] : [[name, { acl, mode }] as const];
  });
  return {
    chassis_id: chassisId,
    location: unquoted(location),
    contact: unquoted(contact),
    community: Object.fromEntries(communities),
  };
};

/** Some releases quote the values, as the configuration does. */
const unquoted = (text: string) => text.replace(/^"+|"+$/g, "");

const removed = "<removed>";

/** Lines that the switch itself sanitizes in the running configuration only. */
const secrets: readonly RegExp[] = [
  /^(\s*snmp-server (?:community|user) ).*$/gm,
  /^(\s*snmp-server host \S+(?: vrf \S+)?(?: version \S+)? )\S+/gm,
  /^(.*\b(?:secret|password|key|passphrase|authentication-key)(?: (?:0|5|7|8a|sha512|type-\d|encrypted))+ )\S+/gm,
  /^(\s*(?:secret|password|key-string|passphrase) )\S+$/gm,
];

/** Applies NAPALM's rules for Cisco secrets, plus those specific to the switch. */
function sanitized(config: string): string {
  const end = config.endsWith("\n") ? "\n" : "";
  return secrets.reduce(
    (text, pattern) => text.replace(pattern, `$1${removed}`),
    `${withoutCiscoSecrets(config)}${end}`,
  );
}

export const get_config: Getter<"get_config"> = async (
  device,
  { retrieve, full, sanitized: clean, format },
) => {
  if (format !== "text" && format !== "json")
    throw new PluginError("DriverError", `get_config: the formats of eos are text and json, not ${format}.`, {
      outcome: "none",
    });
  const wants = (kind: string) => retrieve === "all" || retrieve === kind;
  const allKeyword = full ? " all" : "";
  const ask = async (command: string): Promise<string> => {
    if (format === "text") return (await device.text(command))[0] ?? "";
    return JSON.stringify((await device.json(command))[0]);
  };
  const [startup, running] = await Promise.all([
    wants("startup") ? ask("show startup-config") : "",
    wants("running") ? ask(`show running-config${allKeyword}${clean ? " sanitized" : ""}`) : "",
  ]);
  // A candidate exists only during a change; between jobs there is none.
  return { startup: clean ? sanitized(startup) : startup, running, candidate: "" };
};
