/** Structured output of a simulated EOS switch for the documented commands. */

const statuses = {
  interfaceStatuses: {
    Ethernet1: {
      description: "server",
      linkStatus: "connected",
      lineProtocolStatus: "up",
      vlanInformation: { interfaceMode: "bridged", vlanId: 1, interfaceForwardingModel: "bridged" },
      bandwidth: 10_000_000_000,
      duplex: "duplexFull",
      interfaceType: "10GBASE-SR",
      autoNegotiateActive: false,
    },
    Management1: {
      description: "",
      linkStatus: "notconnect",
      lineProtocolStatus: "down",
      vlanInformation: { interfaceMode: "routed", interfaceForwardingModel: "routed" },
      bandwidth: 0,
      duplex: "duplexUnknown",
      interfaceType: "10/100/1000",
      autoNegotiateActive: true,
    },
  },
};

export const shows: Readonly<Record<string, unknown>> = {
  "show interfaces status": statuses,
  "show interfaces ethernet status": statuses,
  "show interfaces ethernet detail": {
    interfaces: {
      Ethernet1: { name: "Ethernet1", mtu: 9214, bandwidth: 10_000_000_000, lineProtocolStatus: "up" },
    },
  },
  "show ip interface brief": {
    interfaces: {
      Management1: {
        name: "Management1",
        interfaceStatus: "connected",
        lineProtocolStatus: "up",
        mtu: 1500,
        interfaceAddress: { ipAddr: { address: "192.0.2.20", maskLen: 24 } },
      },
    },
  },
  "show vlan brief": {
    sourceDetail: "",
    vlans: { "1": { name: "default", dynamic: false, status: "active", interfaces: {} } },
  },
  "show mac address-table": {
    unicastTable: {
      tableEntries: [
        {
          vlanId: 1,
          macAddress: "00:1c:73:00:00:01",
          entryType: "dynamic",
          interface: "Ethernet1",
          moves: 1,
          lastMove: 1_700_000_000.5,
        },
      ],
    },
    multicastTable: { tableEntries: [] },
    disabledMacLearningVlans: [],
  },
  "show ip bgp summary": {
    vrfs: { default: { routerId: "192.0.2.20", asn: "65001", vrf: "default", peers: {} } },
  },
  "show ip route": {
    vrfs: {
      default: { allRoutesProgrammedHardware: true, allRoutesProgrammedKernel: true, routes: {} },
    },
  },
};
