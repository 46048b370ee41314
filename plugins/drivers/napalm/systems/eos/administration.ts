/** get_users and get_snmp_information of EOS. */
import * as v from "valibot";
import { shaped } from "../../common/shape.ts";
import { linesOf } from "../../common/text.ts";
import type { User } from "../../models.ts";
import type { Getter } from "./device.ts";

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
