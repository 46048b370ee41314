/** NTP, SNMP, probes and users of Junos. */
import { type XmlElement, xml } from "patchbay/plugin";
import { addressOrText, ipAddress } from "../../../common/addresses.ts";
import { decimalAt, integerAt } from "../../../common/elements.ts";
import { asOneText } from "../../../common/python-text.ts";
import { slot } from "../../../common/records.ts";
import type { NtpServer, NtpStats, ProbeConfig, ProbeResult, User } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { JunosDevice } from "../device.ts";

async function ntpNames(device: JunosDevice, kind: "peer" | "server"): Promise<Record<string, NtpServer>> {
  const configured = await device.configured(`system/ntp/${kind}`);
  const names = configured.all(`system/ntp/${kind}`).map((server) => server.textOf("name"));
  return Object.fromEntries(names.map((name) => [addressOrText(name), {}]));
}

export const get_ntp_peers: Getter<JunosDevice, "get_ntp_peers"> = (device) => ntpNames(device, "peer");
export const get_ntp_servers: Getter<JunosDevice, "get_ntp_servers"> = (device) => ntpNames(device, "server");

/** An empty line, the column titles, a rule. */
const ntpHeadLines = 3;
const ntpLine =
  /^\s?(?<tally>[+*x-])?(?<remote>[a-z\d.+,/:-]+)\s+(?<refid>[a-z\d.]+)\s+(?<stratum>\d{1,2})\s+(?<type>-|u)\s+(?<when>[\dh-]+)\s+(?<poll>\d+)\s+(?<reach>\d+)\s+(?<delay>[\d.]+)\s+(?<offset>[\d.-]+)\s+(?<jitter>[\d.]+)\s?$/i;

/** Like NAPALM: leaves out peers last heard days ago. There is no operation for it, so the text output is parsed. */
export const get_ntp_stats: Getter<JunosDevice, "get_ntp_stats"> = async (device) => {
  const reply = await device.ask(xml("command", { format: "text" }, "show ntp associations no-resolve"));
  const text = reply.find("output")?.text ?? "";
  return text
    .split("\n")
    .slice(ntpHeadLines)
    .flatMap((line): NtpStats[] => {
      const groups = ntpLine.exec(line.slice(0, 200))?.groups;
      const remote = groups === undefined ? undefined : ipAddress(groups.remote ?? "");
      if (groups === undefined || remote === undefined) return [];
      return [
        {
          remote,
          synchronized: groups.tally === "*",
          referenceid: groups.refid ?? "",
          stratum: Number(groups.stratum),
          type: groups.type ?? "",
          when: groups.when ?? "",
          hostpoll: Number(groups.poll),
          reachability: Number(groups.reach),
          delay: Number(groups.delay),
          offset: Number(groups.offset),
          jitter: Number(groups.jitter),
        },
      ];
    });
};

const snmpModes: Readonly<Record<string, string>> = { "read-only": "ro", "read-write": "rw" };

export const get_snmp_information: Getter<JunosDevice, "get_snmp_information"> = async (device) => {
  const configured = await device.configured("snmp");
  const snmp = configured.find("snmp");
  const text = (path: string) => snmp?.textOf(path) ?? "";
  const communities = snmp?.all("community") ?? [];
  return {
    chassis_id: text("system-name"),
    contact: text("contact"),
    location: text("location"),
    community: Object.fromEntries(
      communities.map((community) => [
        community.textOf("name"),
        { acl: "", mode: snmpModes[community.textOf("authorization")] ?? "None" },
      ]),
    ),
  };
};

export const get_probes_config: Getter<JunosDevice, "get_probes_config"> = async (device) => {
  const configured = await device.configured("services/rpm/probe/test");
  const probes: Record<string, Record<string, ProbeConfig>> = {};
  for (const probe of configured.all("services/rpm/probe"))
    for (const test of probe.all("test")) {
      const tests = slot(probes, probe.textOf("name"), () => ({}));
      tests[test.textOf("name")] = {
        probe_type: test.textOf("probe-type"),
        target: test.textOf("target/address"),
        source: test.textOf("source-address"),
        probe_count: integerAt(test, "probe-count", 0),
        test_interval: integerAt(test, "test-interval", 0),
      };
    }
  return probes;
};

export const get_probes_results: Getter<JunosDevice, "get_probes_results"> = async (device) => {
  const reply = await device.ask(xml("get-probe-results"));
  const results: Record<string, Record<string, ProbeResult>> = {};
  for (const test of reply.descendants("probe-test-results")) {
    const tests = slot(results, test.textOf("owner"), () => ({}));
    tests[test.textOf("test-name")] = probeResultOf(test);
  }
  return results;
};

function probeResultOf(test: XmlElement): ProbeResult {
  // The device reports microseconds.
  const ms = (path: string) => decimalAt(test, path, 0) * 1e-3;
  const delays = (of: string, statistic: string) =>
    ms(`${of}/probe-test-generic-results/probe-test-rtt/probe-summary-results/${statistic}-delay`);
  const loss = decimalAt(test, "probe-last-test-results/probe-test-generic-results/loss-percentage", 0);
  return {
    target: test.textOf("target-address"),
    source: test.textOf("source-address"),
    probe_type: test.textOf("probe-type"),
    probe_count: integerAt(test, "test-size", 0),
    rtt: ms("probe-single-results/rtt"),
    round_trip_jitter: ms("probe-single-results/round-trip-jitter"),
    last_test_loss: Math.trunc(loss),
    current_test_min_delay: delays("probe-test-current-results", "min"),
    current_test_max_delay: delays("probe-test-current-results", "max"),
    current_test_avg_delay: delays("probe-test-current-results", "avg"),
    last_test_min_delay: delays("probe-last-test-results", "min"),
    last_test_max_delay: delays("probe-last-test-results", "max"),
    last_test_avg_delay: delays("probe-last-test-results", "avg"),
    global_test_min_delay: delays("probe-test-global-results", "min"),
    global_test_max_delay: delays("probe-test-global-results", "max"),
    global_test_avg_delay: delays("probe-test-global-results", "avg"),
  };
}

/** Login classes mapped to Cisco privilege levels. */
const levels: Readonly<Record<string, number>> = {
  "super-user": 15,
  superuser: 15,
  operator: 5,
  "read-only": 1,
  unauthorized: 0,
};
const rootLevel = 20;

export const get_users: Getter<JunosDevice, "get_users"> = async (device) => {
  const [logins, system] = await Promise.all([
    device.configured("system/login/user"),
    device.configured("system"),
  ]);
  const users = logins
    .all("system/login/user")
    .map((user): [string, User] => [
      user.textOf("name"),
      userOf(user.find("authentication"), levels[user.textOf("class")] ?? 0),
    ]);
  const root = system.find("system/root-authentication");
  return { ...Object.fromEntries(users), ...(root === undefined ? {} : { root: userOf(root, rootLevel) }) };
};

function userOf(authentication: XmlElement | undefined, level: number): User {
  // One text per key type; several keys of a type form a list in it.
  const keys = ["ssh-rsa", "ssh-dsa", "ssh-ecdsa"].flatMap(
    (kind) => asOneText(authentication?.all(`${kind}/name`).map((key) => key.textOf()) ?? []) ?? [],
  );
  return { level, password: authentication?.textOf("encrypted-password") ?? "", sshkeys: keys };
}
