/**
 * The objects that have names here: system, interfaces, LLDP, entities and bridges. Data, one object per line: name, its
 * place below the table's entry or group, its syntax if the agent's type does not tell it, and the words of its numbers.
 */

/** How octets are shown: `id` as text or, if they are none, as a MAC address; absent: as what they look like. */
type Syntax = "text" | "mac" | "hex" | "id";

export interface MibObject {
  readonly name: string;
  readonly oid: string;
  readonly syntax?: Syntax;
  readonly words?: Readonly<Record<number, string>>;
}

/** What a part of the number of an instance stands for. */
export type IndexPart = { readonly name: string; readonly as: "number" | "mac" };

export interface MibTable {
  readonly name: string;
  /** Of the entry: columns are below it. */
  readonly oid: string;
  readonly index: readonly IndexPart[];
  readonly columns: readonly MibObject[];
}

type Row = readonly [name: string, at: number, syntax?: Syntax, words?: Readonly<Record<number, string>>];

const objects = (oid: string, rows: readonly Row[]): MibObject[] =>
  rows.map(([name, at, syntax, words]) => ({
    name,
    oid: `${oid}.${at}`,
    ...(syntax === undefined ? {} : { syntax }),
    ...(words === undefined ? {} : { words }),
  }));
const table = (
  name: string,
  oid: string,
  index: readonly (readonly [string, IndexPart["as"]])[],
  rows: readonly Row[],
): MibTable => ({
  name,
  oid,
  index: index.map(([name, as]) => ({ name, as })),
  columns: objects(oid, rows),
});

const status = {
  1: "up",
  2: "down",
  3: "testing",
  4: "unknown",
  5: "dormant",
  6: "notPresent",
  7: "lowerLayerDown",
};
const truth = { 1: "true", 2: "false" };
const chassisKind = {
  1: "chassisComponent",
  2: "interfaceAlias",
  3: "portComponent",
  4: "macAddress",
  5: "networkAddress",
  6: "interfaceName",
  7: "local",
};
const portKind = {
  1: "interfaceAlias",
  2: "portComponent",
  3: "macAddress",
  4: "networkAddress",
  5: "interfaceName",
  6: "agentCircuitId",
  7: "local",
};
const entityClass = {
  1: "other",
  2: "unknown",
  3: "chassis",
  4: "backplane",
  5: "container",
  6: "powerSupply",
  7: "fan",
  8: "sensor",
  9: "module",
  10: "port",
  11: "stack",
  12: "cpu",
};
const learned = { 1: "other", 2: "invalid", 3: "learned", 4: "self", 5: "mgmt" };
const lldp = "1.0.8802.1.1.2.1";

/** Objects that exist once: their instance is 0. */
export const scalars: readonly MibObject[] = [
  // SNMPv2-MIB
  ...objects("1.3.6.1.2.1.1", [
    ["sysDescr", 1, "text"],
    ["sysObjectID", 2],
    ["sysUpTime", 3],
    ["sysContact", 4, "text"],
    ["sysName", 5, "text"],
    ["sysLocation", 6, "text"],
    ["sysServices", 7],
  ]),
  // IF-MIB
  ...objects("1.3.6.1.2.1.2", [["ifNumber", 1]]),
  // BRIDGE-MIB
  ...objects("1.3.6.1.2.1.17.1", [
    ["dot1dBaseBridgeAddress", 1, "mac"],
    ["dot1dBaseNumPorts", 2],
    ["dot1dBaseType", 3, undefined, { 1: "unknown", 2: "transparent-only", 3: "sourceroute-only", 4: "srt" }],
  ]),
  // LLDP-MIB
  ...objects(`${lldp}.3`, [
    ["lldpLocChassisIdSubtype", 1, undefined, chassisKind],
    ["lldpLocChassisId", 2, "id"],
    ["lldpLocSysName", 3, "text"],
    ["lldpLocSysDesc", 4, "text"],
  ]),
];

export const tables: readonly MibTable[] = [
  table(
    "ifTable",
    "1.3.6.1.2.1.2.2.1",
    [["ifIndex", "number"]],
    [
      ["ifIndex", 1],
      ["ifDescr", 2, "text"],
      ["ifType", 3],
      ["ifMtu", 4],
      ["ifSpeed", 5],
      ["ifPhysAddress", 6, "mac"],
      ["ifAdminStatus", 7, undefined, { 1: "up", 2: "down", 3: "testing" }],
      ["ifOperStatus", 8, undefined, status],
      ["ifLastChange", 9],
      ["ifInOctets", 10],
      ["ifInUcastPkts", 11],
      ["ifInDiscards", 13],
      ["ifInErrors", 14],
      ["ifOutOctets", 16],
      ["ifOutUcastPkts", 17],
      ["ifOutDiscards", 19],
      ["ifOutErrors", 20],
    ],
  ),
  table(
    "ifXTable",
    "1.3.6.1.2.1.31.1.1.1",
    [["ifIndex", "number"]],
    [
      ["ifName", 1, "text"],
      ["ifInMulticastPkts", 2],
      ["ifInBroadcastPkts", 3],
      ["ifOutMulticastPkts", 4],
      ["ifOutBroadcastPkts", 5],
      ["ifHCInOctets", 6],
      ["ifHCInUcastPkts", 7],
      ["ifHCInMulticastPkts", 8],
      ["ifHCInBroadcastPkts", 9],
      ["ifHCOutOctets", 10],
      ["ifHCOutUcastPkts", 11],
      ["ifHCOutMulticastPkts", 12],
      ["ifHCOutBroadcastPkts", 13],
      ["ifHighSpeed", 15],
      ["ifPromiscuousMode", 16, undefined, truth],
      ["ifConnectorPresent", 17, undefined, truth],
      ["ifAlias", 18, "text"],
    ],
  ),
  table(
    "lldpLocPortTable",
    `${lldp}.3.7.1`,
    [["lldpLocPortNum", "number"]],
    [
      ["lldpLocPortIdSubtype", 2, undefined, portKind],
      ["lldpLocPortId", 3, "id"],
      ["lldpLocPortDesc", 4, "text"],
    ],
  ),
  table(
    "lldpRemTable",
    `${lldp}.4.1.1`,
    [
      ["lldpRemTimeMark", "number"],
      ["lldpRemLocalPortNum", "number"],
      ["lldpRemIndex", "number"],
    ],
    [
      ["lldpRemChassisIdSubtype", 4, undefined, chassisKind],
      ["lldpRemChassisId", 5, "id"],
      ["lldpRemPortIdSubtype", 6, undefined, portKind],
      ["lldpRemPortId", 7, "id"],
      ["lldpRemPortDesc", 8, "text"],
      ["lldpRemSysName", 9, "text"],
      ["lldpRemSysDesc", 10, "text"],
      ["lldpRemSysCapSupported", 11, "hex"],
      ["lldpRemSysCapEnabled", 12, "hex"],
    ],
  ),
  table(
    "entPhysicalTable",
    "1.3.6.1.2.1.47.1.1.1.1",
    [["entPhysicalIndex", "number"]],
    [
      ["entPhysicalDescr", 2, "text"],
      ["entPhysicalVendorType", 3],
      ["entPhysicalContainedIn", 4],
      ["entPhysicalClass", 5, undefined, entityClass],
      ["entPhysicalParentRelPos", 6],
      ["entPhysicalName", 7, "text"],
      ["entPhysicalHardwareRev", 8, "text"],
      ["entPhysicalFirmwareRev", 9, "text"],
      ["entPhysicalSoftwareRev", 10, "text"],
      ["entPhysicalSerialNum", 11, "text"],
      ["entPhysicalMfgName", 12, "text"],
      ["entPhysicalModelName", 13, "text"],
      ["entPhysicalAlias", 14, "text"],
      ["entPhysicalAssetID", 15, "text"],
      ["entPhysicalIsFRU", 16, undefined, truth],
    ],
  ),
  table(
    "dot1dBasePortTable",
    "1.3.6.1.2.1.17.1.4.1",
    [["dot1dBasePort", "number"]],
    [
      ["dot1dBasePort", 1],
      ["dot1dBasePortIfIndex", 2],
    ],
  ),
  table(
    "dot1dTpFdbTable",
    "1.3.6.1.2.1.17.4.3.1",
    [["dot1dTpFdbAddress", "mac"]],
    [
      ["dot1dTpFdbAddress", 1, "mac"],
      ["dot1dTpFdbPort", 2],
      ["dot1dTpFdbStatus", 3, undefined, learned],
    ],
  ),
  table(
    "dot1qTpFdbTable",
    "1.3.6.1.2.1.17.7.1.2.2.1",
    [
      ["dot1qFdbId", "number"],
      ["dot1qTpFdbAddress", "mac"],
    ],
    [
      ["dot1qTpFdbPort", 2],
      ["dot1qTpFdbStatus", 3, undefined, learned],
    ],
  ),
];
