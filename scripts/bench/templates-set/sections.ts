/** Sections of a configuration as small template files, one per subject, as in large template sets. */

/** A kind of section: `KEY` stands for the variable that it reads, `WORD` for its line. */
export interface SectionKind {
  readonly source: string;
  /** Data of a host that has the section. */
  data(host: number, section: number): unknown;
}

const names = (count: number, prefix: string, from: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}${from + n}`);

export const sectionKinds: readonly SectionKind[] = [
  {
    source: `{# WORD: plain settings #}
{% if KEY is defined and KEY %}
!
{%     if KEY.enabled is defined and KEY.enabled == true %}
WORD enable
{%     endif %}
{%     for line in KEY.lines | default([]) | sort(attribute='name') %}
WORD {{ line.name }}{% if line.value is defined %} value {{ line.value }}{% endif %}

{%     endfor %}
{%     if KEY.timeout is defined and KEY.timeout is not none %}
WORD timeout {{ KEY.timeout }}
{%     endif %}
{% endif %}
`,
    data: (host, section) => ({
      enabled: host % 2 === 0,
      timeout: 30 + section,
      lines: names(4, "entry", host % 5).map((name, n) => (n % 2 ? { name } : { name, value: n * 10 })),
    }),
  },
  {
    source: `{% for one in KEY | default([]) | sort(attribute='name') %}
{%     if loop.first %}
!
{%     endif %}
WORD {{ one.name }}
{%     if one.description is defined %}
   description {{ one.description }}
{%     endif %}
{%     if one.shutdown | default(false) %}
   shutdown
{%     else %}
   no shutdown
{%     endif %}
{%     for address in one.addresses | default([]) %}
   ip address {{ address }}{{ ' secondary' if not loop.first else '' }}
{%     endfor %}
{%     if one.vlans is defined %}
   vlan {{ one.vlans | map('string') | join(',') }}
{%     endif %}
{%     if not loop.last %}
!
{%     endif %}
{% endfor %}
`,
    data: (host, section) =>
      names(3, "Port", section).map((name, n) => ({
        name,
        description: `${name} of host ${host}`,
        shutdown: n === 2,
        addresses: [`10.${host % 250}.${n}.1/24`, `10.${host % 250}.${n + 100}.1/24`],
        vlans: [n + 10, n + 20],
      })),
  },
  {
    source: `{% from 'shared/macros.j2' import setting, members with context %}
{% if KEY is defined %}
!
{%     for group in KEY.groups | default([]) %}
WORD group {{ group.name | upper }}
{{ setting('priority', group.priority) }}
{{ setting('mode', group.mode | default('auto', true)) }}
{{ members(group.members | default([])) }}
{%     endfor %}
{% endif %}
`,
    data: (_host, section) => ({
      groups: names(2, "group", section).map((name, n) => ({
        name,
        priority: 100 + n,
        mode: n === 0 ? "" : "active",
        members: names(3, "Ethernet", n),
      })),
    }),
  },
  {
    source: `{% import 'shared/macros.j2' as shared %}
{% if KEY is defined and KEY.servers is defined %}
{%     set ns = namespace(count=0) %}
{%     for server in KEY.servers if server.address is defined %}
{%         set ns.count = ns.count + 1 %}
{%         set host_line = 'WORD host ' ~ server.address %}
{%         if server.vrf is defined and server.vrf != 'default' %}
{%             set host_line = host_line ~ ' vrf ' ~ server.vrf %}
{%         endif %}
{%         if server.port is defined %}
{%             set host_line = host_line ~ ' port ' ~ server.port %}
{%         endif %}
{{ host_line }}
{{ shared.setting('source', server.source | default(KEY.source)) }}
{%     endfor %}
! {{ ns.count }} of {{ KEY.servers | length }}
{% endif %}
`,
    data: (host, section) => ({
      source: "Loopback0",
      servers: names(4, "192.0.2.", 1 + (section % 9)).map((address, n) =>
        n === 3 ? { comment: host } : { address, vrf: n ? "MGMT" : "default", port: 1000 + n },
      ),
    }),
  },
  {
    source: `{% if KEY is defined and KEY.rules is defined %}
{%     for kind, rules in KEY.rules | groupby('action') %}
!
WORD {{ kind }}
{%         for rule in rules | sort(attribute='sequence') %}
   {{ rule.sequence }} {{ rule.action }} {{ rule.match | default('any') | lower | replace(' ', '-') }}
{%         endfor %}
{%     endfor %}
{%     set used = KEY.rules | selectattr('match', 'defined') | map(attribute='match') | unique | list %}
! {{ used | length }} matches: {{ used | join(', ') }}
{% endif %}
`,
    data: (host) => ({
      rules: names(6, "RULE ", host % 3).map((match, n) => ({
        sequence: (n + 1) * 10,
        action: n % 3 === 0 ? "deny" : "permit",
        ...(n === 4 ? {} : { match }),
      })),
    }),
  },
  {
    source: `{% if KEY is defined %}
## WORD

| Name | Settings |
| ---- | -------- |
{%     for name, settings in KEY.table | default({}) | dictsort %}
{%         include 'shared/row.j2' %}
{%     endfor %}
{% endif %}
`,
    data: (host) => ({
      table: Object.fromEntries(
        names(3, "name", host % 7).map((name, n) => [name, { mtu: 1500 + n, up: true }]),
      ),
    }),
  },
];

export const sharedFiles: Readonly<Record<string, string>> = {
  "shared/macros.j2": `{% macro setting(name, value) %}
   {{ name }} {{ value }}
{%- endmacro %}
{% macro members(list) %}
{%     for one in list %}
   member {{ one }}
{%     endfor %}
{% endmacro %}
{% macro unused(first, second='x') %}
{{ first }} {{ second }}
{% endmacro %}
`,
  "shared/row.j2": `| {{ name }} | {% for key, value in settings.items() %}{{ key }} {{ value }}{% if not loop.last %}, {% endif %}{% endfor %} |
`,
};
