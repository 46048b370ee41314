/**
 * Secrets that are ordinary texts: too short, a word of configurations, or a login name. Masking each occurrence would
 * ruin outputs and reveal the secret by its absence.
 */

/** Shorter secrets are also parts of ordinary texts. */
const shortest = 8;

/** Words of at least that length that stand in configurations, and in outputs of devices. */
const words = new Set(
  `accepted accounting activate adaptive addresses adjacency administrative administrator advanced advertise
aggregate algorithm application approved assigned attached attribute authenticate authentication
authorization authorized automatic available backbone bandwidth bootloader bridging broadcast business
campaign candidate capability certificate changeme channel-group checkpoint checksum clearpass collector
command-line commands community compatible complete computer condition conditional configuration configure
configured confirmation confirmed connected connection consistent continue controller counters critical
customer database datacenter debugging dedicated default-gateway defaults definition delegated delivery
department description destination detected development dialogue director directory disabled discarded
discover discovery distance distribute distribution document domain-name download duplicate duration
dynamic-vpn emergency employee encapsulation encrypted encryption engineer enterprise environment ericsson
established ethernet exchange executed exported extended external facility failover fallback fastethernet
features firewall firmware fortinet forwarding frequency function gateways gigabitethernet global-protect
graceful hardware headquarters hierarchy hostname identifier identity important inactive incoming
information informational inspection installed instance integrated interface interfaces internal internet
interval inventory isolated keepalive keychain language learning licensed link-state local-user location
loopback maintenance management mandatory measured mediation membership metadata metro-ethernet mikrotik
monitoring multicast neighbor neighbors netscreen networking networks nopassword notification numbered
observed operation operational operations operator optional organization original outbound outgoing override
overview paloalto parameter parameters partition passcode passive-interface passphrase password passwords
peer-group performance permanent permission permitted physical platform policies port-channel portfast
position postgres precedence preferred prefix-list priority privilege privileged problems processes
processor production profiles progress propagate properties property protected protection protocol protocols
provider provision provisioning public-key qualified read-only read-write readonly readwrite recovery
redirect redistribute redundancy reference registered registration relation released reliable remaining
remote-access replaced replication reported requested required reserved resolved resource resources response
restarted restored restrict restricted revision rollback route-map running-config schedule scheduled
secondary secretary sections security selected sequence serial-number services sessions settings severity
shutdown signature simulator snapshot software solution something spanning-tree specific standard startup-
config statement static-route statistics strategy subinterface subscriber subsystem succeeded successful
superuser supervisor supported suppress suspended switches switchport synchronization synchronize
synchronous system-admin tacacs-server technical technology telemetry temperature template
tengigabitethernet terminal testtest threshold timestamp tolerance topology traceroute tracking transfer
transition translation transmit transparent transport trunking ubiquiti undefined uninstall unlimited
unreachable upgraded upstream username usernames validate variable verified versions vertical virtual-router
warnings wildcard wireless withdrawn workgroup workstation`.split(/\s+/),
);

/** @param logins names of accounts that the same request logs in with */
export function isOrdinary(secret: string, logins: Iterable<string> = []): boolean {
  if (secret.length < shortest || words.has(secret.toLowerCase())) return true;
  for (const login of logins) if (login.toLowerCase().includes(secret.toLowerCase())) return true;
  return false;
}
