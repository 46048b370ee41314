/** NAPALM's BGP result types. */
import type { ByName } from "./models.ts";

export interface BgpNeighbor {
  readonly local_as: number;
  readonly remote_as: number;
  readonly remote_id: string;
  readonly is_up: boolean;
  readonly is_enabled: boolean;
  readonly description: string;
  readonly uptime: number;
  readonly address_family: ByName<{
    readonly received_prefixes: number;
    readonly accepted_prefixes: number;
    readonly sent_prefixes: number;
  }>;
}

export interface BgpInstance {
  readonly router_id: string;
  readonly peers: ByName<BgpNeighbor>;
}

/** A neighbour in detail; systems omit fields they do not report. */
export type BgpNeighborDetail = Readonly<
  Partial<{
    up: boolean;
    local_as: number;
    remote_as: number;
    router_id: string;
    local_address: string;
    routing_table: string;
    local_address_configured: boolean;
    local_port: number;
    remote_address: string;
    remote_port: number;
    multihop: boolean;
    multipath: boolean;
    remove_private_as: boolean;
    import_policy: string;
    export_policy: string;
    input_messages: number;
    output_messages: number;
    input_updates: number;
    output_updates: number;
    messages_queued_out: number;
    connection_state: string;
    previous_connection_state: string;
    last_event: string;
    suppress_4byte_as: boolean;
    local_as_prepend: boolean;
    holdtime: number;
    configured_holdtime: number;
    keepalive: number;
    configured_keepalive: number;
    active_prefix_count: number;
    received_prefix_count: number;
    accepted_prefix_count: number;
    suppressed_prefix_count: number;
    advertised_prefix_count: number;
    flap_count: number;
  }>
>;

/** `limit`, `teardown` and others by address family, then by subsequent address family. */
export type PrefixLimit = ByName<ByName<Readonly<Record<string, unknown>>>>;

export interface BgpConfigNeighbor {
  readonly description: string;
  readonly import_policy: string;
  readonly export_policy: string;
  readonly local_address: string;
  readonly authentication_key: string;
  readonly nhs: boolean;
  readonly route_reflector_client: boolean;
  readonly local_as: number;
  readonly remote_as: number;
  readonly prefix_limit: PrefixLimit;
}

export interface BgpConfigGroup {
  readonly type: string;
  readonly description: string;
  readonly apply_groups: readonly string[];
  readonly multihop_ttl: number;
  readonly multipath: boolean;
  readonly local_address: string;
  readonly local_as: number;
  readonly remote_as: number;
  readonly import_policy: string;
  readonly export_policy: string;
  readonly remove_private_as: boolean;
  readonly prefix_limit: PrefixLimit;
  readonly neighbors: ByName<BgpConfigNeighbor>;
}
