/**
 * Words of command lines. Only these stand in shapes as they are: every other word of a line may be a name or a value of
 * the site. From the command references of the vendors.
 */
const words = `
aaa absent accept access access-class access-group access-interface access-list access-group-in accounting acl activate
active add add-path address address-family address-families adjacency admin admin-state adminstatus advertise
advertise-interval advertisement advertisement-interval aes aes128 aes192 aes256 age aggregate aggregate-address
aggregate-timer aggregated-ether-options aging aging-time ah alert alias all allow allowas-in allowed always always-compare-med
announce any any-source api application apply apply-groups archive area arp arp-target as as-number as-override as-path
as-path-list as-set async auth authenticate authentication authentication-key authentication-key-chain authentication-order
authentication-server authorization auto auto-cost auto-negotiation autonomous-system aux backup bandwidth banner base bfd bgp
bestpath bfd-liveness-detection bia bits black-hole blackhole block bond boot both bpdu bpduguard bpdufilter bridge bridge-domain
bridge-aggregation bridge-group broadcast broadcast-address buffered buffer-size bundle bytes cache capability cbc cdp
certificate channel channel-group channel-protocol chap chassis checkpoint cipher circuit class class-map class-of-service clear
clear-text client client-id clock cluster cluster-id cmd collect collector color command command-level commit common
community community-list compare-med compare-routerid compatible conf confederation config configuration configure
conform-action connect connected connection connection-limit console context control control-plane controller convergence
copy core-isolation cos cost count counter counters crypto current customer damping dampening data database dead dead-interval
debug debugging default default-action default-cost default-gateway default-information default-instance default-metric
default-originate default-route default-router default-vlan delay delete deny deny-all des description designated destination
destination-port detail device df-bit dh-group dhcp dhcp-server dhcp-relay dialer dir direct direction disable disabled discard
discovery distance distribute-list dns dns-server do domain domain-id domain-list domain-lookup domain-name domain-search
dot1q dot1x drop dscp dst duplex dynamic eapi ebgp ebgp-multihop ebgp-requires-policy echo edge edit egress eigrp eq enable enabled encapsulation
encrypted encryption end enforce-first-as engine engine-id entry err-disable errdisable error esp established eth-trunk
ethernet-switching etherchannel evpn exact exec exec-timeout exempt exit exit-address-family expanded explicit-null explicit
export export-policy extcommunity extcommunity-list extended external facility fail fail-over failed fallback fallover family
fast fast-leave fast-external-failover feature fiber fib file filter filter-list firewall flow flow-control flow-export
flow-monitor flow-record flowcontrol force format forward forward-time forwarding fragments frame frame-relay from ftp full
full-duplex fwd gateway ge general giaddr global global-address graceful-restart graceful-shutdown gre group groups gt guard half
half-duplex hardware hash hash-algorithm heartbeat hello hello-interval hello-multiplier hello-padding hidden high highest
hold hold-time holdtime hop-limit host host-inbound-traffic host-key hour hours hsrp http https icmp icmpv6 icmp6 identity idle
idle-timeout ietf-md5 if-exists igmp ignore igp ikev1 ikev2 import import-policy in inactive inactivity inbound include
incomplete inet inet6 info-center informs ingress inherit inet-vpn input inside inspect instance instance-type interface
interface-type interfaces internal interval ip ip-address ipsec ipv4 ipv4-family ipv6 ipv6-family irb isakmp isis iso join-group
keepalive key key-chain key-string keychain keyring l2 l2-gateway l2tp l2vpn l3 l3-interface label label-switching lacp lag last
layer layer2 layer3 ldp le lease length level level-1 level-1-2 level-1-only level-2 level-2-only lifetime limit line
line-protocol link link-group link-state link-type list lldp lnp lo load-balance load-balancing load-interval load-sharing local
local-address local-as local-preference local-user location log log-adjacency-changes log-neighbor-changes log-input
logging login login-authentication logout long longer loop loopback loopguard loose low lsa lsdb lsp lt mac mac-address
mac-address-table mac-vlan main maintenance management management-access manual map mask maas master match match-all
match-any max max-age max-aging max-length max-links max-lsa max-med max-metric max-metric-type maximum maximum-paths
maximum-paths-ibgp maximum-prefix maximum-prefix-length maxas-limit md5 med media-type mef mem member member-as members message-digest
message-digest-key method metric metric-out metric-style metric-type min min-links min-rx minimum minimum-active minimum-interval
minute minutes missing mls mode model module monitor mpls mpls-te mroute mschap msdp mst mtu mtu-ignore multi-area multi-topology multicast
multihop multipath multipath-relax multiplier name-server nameif nameserver narrow nas nat native native-vlan
native-vlan-id nd ne negotiation neighbor neighbor-discovery neq net netbios netconf netflow netmask network network-type
network-policy never next next-hop next-hop-self next-hop-unchanged no no-advertise no-export no-neg no-prepend no-redistribution
no-summary no-redistribute node none nopassive nonegotiate non-broadcast not not-advertise notice notifications notify nsr nssa ntp null
null-route num number nv off offset offset-list on on-match on-startup only opaque open option options or orf
originate originator-id ospf ospf3 ospfv3 other out outbound output outside override overload owner packet packet-filter
parameter parent part passive passive-interface passive-only passwd password password-authentication password-encryption path
path-attribute path-mtu-discovery pbr pbr-map pcp pdu peer peer-address peer-as peer-config-check-bypass peer-gateway peer-group peer-keepalive
peer-link peer-switch pending per-vlan percent period permanent permit permit-all persistent pfs physical
pim ping platform point-to-multipoint point-to-point police policer policy policy-map policy-options policy-statement pool poll-interval port
port-channel port-fast port-group port-isolate port-mirror port-mode port-priority port-profile port-security port-vlan-mapping portfast power
ppp pppoe pps pre-shared-key precedence preempt prefer preference preferred prefix prefix-length prefix-list prefix-sid prefix-set prepend preserve
primary primary-ntp priority privilege privilege-level private private-as private-vlan probe process profile prompt propagate
protect protocol protocol-version protocols proxy proxy-arp pseudowire psk public public-key pvid pvst qos query queue queue-limit
quiet quit radius radius-server random-detect range rapid-pvst rapid-pvst+ rate rate-limit rd read read-only
read-write reboot receive recovery redirect redirects redistribute redundancy reference-bandwidth refresh register reject relay release
reload remote remote-access remote-as remote-server remove remove-private-as replace replace-as request require reset resource
restart restart-time restrict retain retransmit retransmit-interval retries retry retry-count return reverse revertive revision ring rip ro role
rollback root root-guard rotary round-robin route route-map route-policy route-only route-refresh route-reflector-client
route-server-client route-static route-tag route-target route-targets route-type routed router router-advertisement router-dead-interval router-id
router-interface routing routing-context routing-engine routing-instances routing-options rp rpf rpki rsa rstp rsvp rt rtt rule rules
running running-config rw sa sample sampler sampling save scheduler scope scp second secondary seconds secret secure security
security-level security-zone segment segment-routing send send-community send-label sender seq sequence serial server server-group
server-host server-private service service-acl service-module service-policy service-type session session-group session-limit
session-timeout set severity sflow sftp sha sha1 sha2 sha256 sha384 sha512 shape shared short shutdown signature single single-connection
single-topology size sla slow smtp snat snmp snmp-agent snmp-server snoop snooping soft-reconfiguration soft software source
source-address source-interface source-ip source-port source-protocol spanning-tree speed spf spf-interval split-horizon ssh ssh-server
ssl stale-path-time stale-timer stack standard standby start startup state static static-group static-route statistics status stelnet
sticky stop storm-control stp strict strict-lsa-checking structured stub sub-route subinterface subnet subnet-mask
summary summary-address summary-only summer-time super suppress suppress-map suspend suspended switch switched
switching switchport synchronization synchronous syn sync syslog system system-mac system-priority system-services table table-map table-version
tacacs tacacs+ tacacs-plus tacacs-server tacplus tag tagged target tc tcp tcp-mss tcp-md5-auth te telnet template
term terminal test tftp then threshold throttle time time-range timeout timer timers timestamp timestamps timezone
timing tls to tolerance topology tos trace track traffic traffic-eng traffic-filter traffic-policy traffic-shape trailing transceiver transform-set
transit transmit transmit-delay transparent transport trap trap-source traps trigger trunk trunk-group trunks trust trusted trustpoint tshut ttl
ttl-security tunnel tunnel-destination tunnel-group tunnel-source two-way type type-1 type-2 udld udp uid unconditional undo undirected unicast
unit unnumbered unreachable unreachables unset unsuppress-map untagged up update update-delay update-policy update-source uplink
upstream urpf use-bia use-existing use-peer user user-interface user-role username users utc v1 v1-v2 v2 v2c v3 validate validation value vap
verify version via view vip virtual virtual-address virtual-ip virtual-link virtual-mac virtual-router virtual-router-id vlan vlan-id vlan-mode vlan-tagging
vlan-range vlans vni vpc vpls vpn vpn-instance vpn-target vpnv4 vpnv6 vrf vrf-also vrf-member vrid vrrp vrrp-group vrrpv3 vstack vtep
vtp vty vxlan warning warning-only warnings wait-for wait-install watchdog wccp web-management weight weighted wide wildcard wins with write
xml zone zones
`;

export const keywords: ReadonlySet<string> = new Set(words.split(/\s+/).filter((word) => word !== ""));
