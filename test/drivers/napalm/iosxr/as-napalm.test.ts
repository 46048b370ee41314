/** NAPALM's results where the XML agent's response is ambiguous. */
import { expect, test } from "vitest";
import { callGetter, configuration, operational, values } from "./call-getter.ts";

test("get_environment gives a supply missing values of the previous one, and counts sensors of PM6", async () => {
  const slot = (name: string) =>
    `<Slot><Naming><Name>${name}</Name></Naming><CardTable><Card><Attributes><FRUInfo><ModuleAdministrativeState>ADMIN_UP</ModuleAdministrativeState></FRUInfo></Attributes></Card></CardTable></Slot>`;
  const sensor = (name: string, value: number, more = "") =>
    `<SensorName><Naming><Name>host__${name}</Name></Naming><ValueBrief>${value}</ValueBrief>${more}</SensorName>`;
  const limits = `<ThresholdTable>${[0, 0, 500, 600, 700, 800].map((value) => `<Threshold><ValueBrief>${value}</ValueBrief></Threshold>`).join("")}</ThresholdTable>`;
  const of: Readonly<Record<string, string>> = {
    PM0: sensor("PM", 3000) + sensor("VOLT", 50_000) + sensor("CURR", 2000),
    PM1: sensor("CURR", 4000),
    PM6: sensor("Inlet0", 550, limits),
  };
  const answer = (request: string) => {
    const name = /<slot>(\w+)</.exec(request)?.[1];
    if (name !== undefined) return of[name];
    if (request.includes("<SlotTable>")) return ["PM0", "PM1", "PM6"].map(slot).join("");
    return "";
  };
  expect((await callGetter("get_environment", answer)).result).toMatchObject({
    power: {
      PM0: { status: true, capacity: 3000, output: 100 },
      PM1: { status: true, capacity: 3000, output: 200 },
    },
    temperature: { PM6: { temperature: 55, is_alert: true, is_critical: false } },
  });
});

test("get_bgp_config uses the first family with policies; secondary addresses override the primary", async () => {
  const family = (name: string, more: string) =>
    `<NeighborAF><Naming><AFName>${name}</AFName></Naming>${more}</NeighborAF>`;
  const families = family("IPv4Unicast", "") + family("IPv6Unicast", values({ RoutePolicyIn: "in6" }));
  const address = "<Naming><NeighborAddress><IPV4Address>10.0.0.1</IPV4Address></NeighborAddress></Naming>";
  const config = `<BGP><Neighbor>${address}<NeighborAFTable>${families}</NeighborAFTable></Neighbor></BGP>`;
  expect((await callGetter("get_bgp_config", configuration(config))).result).toMatchObject({
    _: { neighbors: { "10.0.0.1": { import_policy: "in6", prefix_limit: { inet: { unicast: {} } } } } },
  });
  const neighbor = (previous: string) =>
    `<Neighbor>${values({ RemoteAS: 1, ConnectionState: "BGP_ST_OPEN_SENT", PreviousConnectionState: previous })}</Neighbor>`;
  const neighbors = ["5", "", "BGP_ST_IDLE"].map(neighbor).join("");
  const vrf = `<VRF><Naming><VRFName>default</VRFName></Naming><NeighborTable>${neighbors}</NeighborTable></VRF>`;
  const detail = `<BGP><InstanceTable><Instance><InstanceActive><VRFTable>${vrf}</VRFTable></InstanceActive></Instance></InstanceTable></BGP>`;
  expect((await callGetter("get_bgp_neighbors_detail", operational(detail))).result).toMatchObject({
    global: {
      1: ["Active", "Unknown", ""].map((previous_connection_state) => ({
        previous_connection_state,
        connection_state: "Open_Sent",
      })),
    },
  });
  const twice = `<IPV4Network><InterfaceTable><Interface><Naming><InterfaceName>Gi0</InterfaceName></Naming><VRFTable><VRF><Detail>${values({ PrimaryAddress: "10.0.0.1", PrefixLength: 24 })}<SecondaryAddress><Entry>${values({ Address: "10.0.0.1", PrefixLength: 25 })}</Entry></SecondaryAddress></Detail></VRF></VRFTable></Interface></InterfaceTable></IPV4Network>`;
  expect((await callGetter("get_interfaces_ip", operational(twice))).result).toEqual({
    Gi0: { ipv4: { "10.0.0.1": { prefix_length: 25 } } },
  });
});

const as =
  "<InstanceAS><Naming><AS>0</AS></Naming><FourByteAS><Naming><AS>65000</AS></Naming></FourByteAS></InstanceAS>";
const nothing = '<Get ItemNotFound="true"><Configuration><BGP/></Configuration></Get>';

test.each([
  ["", as, ["_"]],
  ["_", as, ["_"]],
  ["RR", as, []],
  ["", "", []],
])(
  "get_bgp_config for the group `%s` includes ungrouped neighbours only if BGP runs",
  async (group, told, names) => {
    const answer = told === "" ? () => nothing : configuration(`<BGP><Instance>${told}</Instance></BGP>`);
    const { result } = await callGetter("get_bgp_config", answer, { group });
    expect(Object.keys(result as object)).toEqual(names);
  },
);
