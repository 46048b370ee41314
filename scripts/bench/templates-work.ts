/** The work of bench:templates: the recorded cases, a large render, and 1 MB of text for TTP. */
import process from "node:process";
import * as jinja2 from "../../plugins/templates/jinja2/test/corpus.ts";
import * as textfsm from "../../plugins/templates/textfsm/test/corpus.ts";

/** CPU milliseconds. */
export interface Figures {
  /** In a new process. */
  readonly cold: { readonly compile: number; readonly run: number };
  /** First use of every template, in a process that has done as much work before. */
  readonly first: { readonly compile: number; readonly run: number };
  /** All inputs again with compiled templates. */
  readonly kept: number;
}

/** CPU milliseconds of all threads of this process. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

/** Templates, and runs as [index of the template, input]. */
export interface Work {
  readonly templates: readonly { readonly source: string; readonly args: Record<string, unknown> }[];
  readonly runs: readonly (readonly [number, string])[];
  /** Repetitions of all runs in a round, because small ones are too short to measure. */
  readonly repeat: number;
}

export type WorkName = "textfsm" | "jinja2" | "jinja2-large" | "ttp-flat" | "ttp-nested" | "ttp-functions";

export function makeWork(name: WorkName): Work {
  switch (name) {
    case "textfsm":
      return recordedOutputs();
    case "jinja2":
      return recordedRenderings();
    case "jinja2-large":
      return { templates: [{ source: largeTemplate, args: {} }], runs: [[0, largeContext()]], repeat: 50 };
    case "ttp-flat":
      return onConfiguration(flat);
    case "ttp-nested":
      return onConfiguration(nested);
    case "ttp-functions":
      return onConfiguration(functions);
  }
}

function onConfiguration(source: string): Work {
  return {
    templates: [{ source, args: {} }],
    runs: [[0, configuration()]],
    repeat: 3,
  };
}

function recordedOutputs(): Work {
  const cases = textfsm.parseCases("ntc");
  const names = [...new Set(cases.map(({ template = "" }) => template))];
  return {
    templates: names.map((name) => ({ source: textfsm.setTemplate(name), args: {} })),
    runs: cases.map(({ template = "", raw }) => [names.indexOf(template), raw]),
    repeat: 3,
  };
}

/** Cases that end in an error are left out, because they end early. */
function recordedRenderings(): Work {
  const cases = jinja2.readCases().filter(({ error }) => error === undefined);
  return {
    templates: cases.map(({ source, env, templates, globals, name }) => ({
      source,
      args: JSON.parse(JSON.stringify({ extensions: [], ...env, templates, globals, name })),
    })),
    runs: cases.map(({ contextJson }, at) => [at, contextJson]),
    repeat: 100,
  };
}

const largeTemplate = `hostname {{ hostname }}
{% for vlan in vlans %}
vlan {{ vlan.id }}
 name {{ vlan.name | upper | replace(" ", "_") }}
{% endfor %}
{% for port in ports if not port.unused %}
interface {{ port.name }}
 description {{ port.description | default("unused", true) }}
{% if port.mode == "trunk" %}
 switchport mode trunk
 switchport trunk allowed vlan {{ port.vlans | join(",") }}
{% else %}
 switchport access vlan {{ port.vlans[0] }}
{% endif %}
 mtu {{ port.mtu + 14 }}
{% if loop.last %}
! {{ loop.index }} ports
{% endif %}
{% endfor %}
`;

function largeContext(): string {
  const vlans = Array.from({ length: 500 }, (_, n) => ({ id: n + 2, name: `users of floor ${n}` }));
  const ports = Array.from({ length: 2_000 }, (_, n) => ({
    name: `Ethernet${n >> 6}/${n & 63}`,
    description: n % 3 === 0 ? "" : `uplink ${n}`,
    mode: n % 2 === 0 ? "trunk" : "access",
    vlans: [n % 500, 7, 9],
    mtu: 1500,
    unused: n % 11 === 0,
  }));
  return JSON.stringify({ hostname: "sw1", vlans, ports });
}

const flat = `<group name="interfaces*">
interface {{ name }}
 description {{ description | ORPHRASE }}
 mtu {{ mtu }}
 ip address {{ ip }} {{ mask }}
</group>`;

const nested = `<group name="interfaces.{{ name }}">
interface {{ name }}
 description {{ description | ORPHRASE }}
 mtu {{ mtu | to_int }}
<group name="addresses*">
 ip address {{ ip | IP }} {{ mask }}
</group>
<group name="acls*">
 ip access-group {{ acl }} {{ direction }}
</group>
! {{ _end_ }}
</group>`;

const functions = `<group name="interfaces*" contains="ip">
interface {{ name | resub("Ethernet", "Eth") }}
 description {{ description | re(".+") | upper }}
 mtu {{ mtu | to_int | default(1500) }}
 ip address {{ ip | is_ip }} {{ mask | exclude("255.255.0.0") }}
 switchport trunk allowed vlan {{ vlans | unrange("-", ",") | split(",") }}
</group>`;

const megabyte = 1_048_576;

export function configuration(): string {
  const parts: string[] = [];
  let length = 0;
  for (let n = 0; length < megabyte; n++) {
    const part = `interface Ethernet${n >> 6}/${n & 63}
 description link to rack ${n % 97} row ${n % 13}
 mtu ${1500 + (n % 5) * 100}
 ip address 10.${(n >> 8) & 255}.${n & 255}.1 255.255.255.0
 ip access-group ACL_${n % 31} in
 ip access-group ACL_${n % 17} out
 switchport trunk allowed vlan 1-5,${10 + (n % 50)},100-104
 no shutdown
!
`;
    parts.push(part);
    length += part.length;
  }
  return parts.join("");
}
