/** NAPALM's result types, named after its own models: the same keys on every system. Times are in seconds. */

export interface Facts {
  readonly os_version: string;
  readonly uptime: number;
  readonly interface_list: readonly string[];
  readonly vendor: string;
  readonly serial_number: string;
  readonly model: string;
  readonly hostname: string;
  readonly fqdn: string;
}

/** `speed` in Mbit/s; `last_flapped` in seconds ago, -1 if unknown. */
export interface Interface {
  readonly is_up: boolean;
  readonly is_enabled: boolean;
  readonly description: string;
  readonly last_flapped: number;
  readonly mtu: number;
  readonly speed: number;
  readonly mac_address: string;
}

export interface InterfaceCounters {
  readonly tx_errors: number;
  readonly rx_errors: number;
  readonly tx_discards: number;
  readonly rx_discards: number;
  readonly tx_octets: number;
  readonly rx_octets: number;
  readonly tx_unicast_packets: number;
  readonly rx_unicast_packets: number;
  readonly tx_multicast_packets: number;
  readonly rx_multicast_packets: number;
  readonly tx_broadcast_packets: number;
  readonly rx_broadcast_packets: number;
}

/** Contains only configured families. */
export interface InterfaceAddresses {
  readonly ipv4?: ByName<{ readonly prefix_length: number }>;
  readonly ipv6?: ByName<{ readonly prefix_length: number }>;
}

export interface LldpNeighbor {
  readonly hostname: string;
  readonly port: string;
}

export interface LldpNeighborDetail {
  readonly parent_interface: string;
  readonly remote_port: string;
  readonly remote_chassis_id: string;
  readonly remote_port_description: string;
  readonly remote_system_name: string;
  readonly remote_system_description: string;
  readonly remote_system_capab: readonly string[];
  readonly remote_system_enable_capab: readonly string[];
}

export interface Environment {
  readonly fans: ByName<{ readonly status: boolean }>;
  readonly temperature: ByName<{
    readonly is_alert: boolean;
    readonly is_critical: boolean;
    readonly temperature: number;
  }>;
  readonly power: ByName<{ readonly status: boolean; readonly output: number; readonly capacity: number }>;
  readonly cpu: ByName<{ readonly "%usage": number }>;
  readonly memory: { readonly used_ram: number; readonly available_ram: number };
}

/** `age` in the unit of the system, -1 if it has none. */
export interface ArpEntry {
  readonly interface: string;
  readonly mac: string;
  readonly ip: string;
  readonly age: number;
}

export interface Ipv6Neighbor extends ArpEntry {
  readonly state: string;
}

export type NtpServer = Readonly<
  Partial<{
    address: string;
    port: number;
    version: number;
    association_type: string;
    iburst: boolean;
    prefer: boolean;
    network_instance: string;
    source_address: string;
    key_id: number;
  }>
>;

export interface NtpStats {
  readonly remote: string;
  readonly referenceid: string;
  readonly synchronized: boolean;
  readonly stratum: number;
  readonly type: string;
  readonly when: string;
  readonly hostpoll: number;
  readonly reachability: number;
  readonly delay: number;
  readonly offset: number;
  readonly jitter: number;
}

export interface MacTableEntry {
  readonly mac: string;
  readonly interface: string;
  readonly vlan: number;
  readonly static: boolean;
  readonly active: boolean;
  readonly moves: number;
  readonly last_move: number;
}

export interface Route {
  readonly protocol: string;
  readonly current_active: boolean;
  readonly last_active: boolean;
  readonly age: number;
  readonly next_hop: string;
  readonly outgoing_interface: string;
  readonly selected_next_hop: boolean;
  readonly preference: number;
  readonly inactive_reason: string;
  readonly routing_table: string;
  readonly protocol_attributes: Readonly<Record<string, unknown>>;
}

export interface Snmp {
  readonly chassis_id: string;
  readonly community: ByName<{ readonly acl: string; readonly mode: string }>;
  readonly contact: string;
  readonly location: string;
}

export interface ProbeConfig {
  readonly probe_type: string;
  readonly target: string;
  readonly source: string;
  readonly probe_count: number;
  readonly test_interval: number;
}

export interface ProbeResult {
  readonly target: string;
  readonly source: string;
  readonly probe_type: string;
  readonly probe_count: number;
  readonly rtt: number;
  readonly round_trip_jitter: number;
  readonly last_test_loss: number;
  readonly current_test_min_delay: number;
  readonly current_test_max_delay: number;
  readonly current_test_avg_delay: number;
  readonly last_test_min_delay: number;
  readonly last_test_max_delay: number;
  readonly last_test_avg_delay: number;
  readonly global_test_min_delay: number;
  readonly global_test_max_delay: number;
  readonly global_test_avg_delay: number;
}

/** Times in milliseconds. */
export type Ping =
  | {
      readonly success: {
        readonly probes_sent: number;
        readonly packet_loss: number;
        readonly rtt_min: number;
        readonly rtt_max: number;
        readonly rtt_avg: number;
        readonly rtt_stddev: number;
        readonly results: readonly { readonly ip_address: string; readonly rtt: number }[];
      };
    }
  | { readonly error: string };

/** Hops and their probes are numbered from 1; times in milliseconds. */
export type Traceroute =
  | {
      readonly success: ByName<{
        readonly probes: ByName<{
          readonly rtt: number;
          readonly ip_address: string;
          readonly host_name: string;
        }>;
      }>;
    }
  | { readonly error: string };

export interface User {
  readonly level: number;
  readonly password: string;
  readonly sshkeys: readonly string[];
}

export interface OpticsState {
  readonly instant: number;
  readonly avg: number;
  readonly min: number;
  readonly max: number;
}

export interface Optics {
  readonly physical_channels: {
    readonly channel: readonly {
      readonly index: number;
      readonly state: {
        readonly input_power: OpticsState;
        readonly output_power: OpticsState;
        readonly laser_bias_current: OpticsState;
      };
    }[];
  };
}

/** Empty if not requested. */
export interface Configurations {
  readonly running: string;
  readonly startup: string;
  readonly candidate: string;
}

export interface NetworkInstance {
  readonly name: string;
  readonly type: string;
  readonly state: { readonly route_distinguisher: string };
  readonly interfaces: { readonly interface: ByName<Readonly<Record<string, unknown>>> };
}

export interface Vlan {
  readonly name: string;
  readonly interfaces: readonly string[];
}

/** Keyed by interface, VRF, neighbour, VLAN, … */
export type ByName<Value> = Readonly<Record<string, Value>>;
