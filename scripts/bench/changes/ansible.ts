/** The change of bench:changes with Debian's ansible-core and its collections, as a playbook. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { run } from "../../testbed/run.ts";
import { type Speaker, wrongAs } from "./fleet.ts";

export interface Playbook {
  readonly canary: string;
  readonly settleS: number;
  readonly word: string;
  /** With lines that somebody has written for the way back. */
  readonly rescues: boolean;
}

/** The waves of the playbook. */
const serial = [1, "5%", "25%", "100%"] as const;
const forks = 50;

const lines = (asNumber: string, description: string) => [
  "        config: |",
  "          router bgp {{ as_number }}",
  `           neighbor {{ peer }} remote-as {{ ${asNumber} }}`,
  `           neighbor {{ peer }} description ${description}`,
];
const down = "(Idle|Active|Connect|OpenSent|OpenConfirm)";

function textOf({ settleS, word, rescues }: Playbook): string {
  const tasks = [
    "- name: the lines",
    "  ansible.netcommon.cli_config:",
    ...lines("new_as", word).map((line) => line.slice(4)),
    "- name: settle",
    "  ansible.builtin.pause:",
    `    seconds: ${settleS}`,
    "- name: the sessions are up",
    "  ansible.netcommon.cli_command:",
    "    command: show ip bgp summary",
    "  register: summary",
    `  failed_when: summary.stdout is search('${down}')`,
  ];
  const rescue = [
    "- block:",
    ...tasks.map((line) => `    ${line}`),
    "  rescue:",
    "    - name: the lines of before",
    "      ansible.netcommon.cli_config:",
    ...lines("right_as", "uplink"),
    "    - name: it has failed all the same",
    "      ansible.builtin.fail:",
  ];
  const all = rescues ? rescue : tasks;
  return [
    "- hosts: all",
    "  gather_facts: false",
    `  serial: ${JSON.stringify(serial)}`,
    "  max_fail_percentage: 0",
    "  tasks:",
    ...all.map((line) => `    ${line}`),
    "",
  ].join("\n");
}

export interface AnsibleRun {
  readonly child: ChildProcess;
  /** Its exit code. */
  readonly exited: Promise<number | null>;
  output(): string;
  /** Ends what it left running: connections live on without it. */
  clean(): void;
}

/** @param folder empty */
export function startAnsible(folder: string, speakers: readonly Speaker[], playbook: Playbook): AnsibleRun {
  mkdirSync(folder, { recursive: true });
  const ordered = [
    ...speakers.filter(({ name }) => name === playbook.canary),
    ...speakers.filter(({ name }) => name !== playbook.canary),
  ];
  const hosts = Object.fromEntries(
    ordered.map(({ name, isReal, host, port, username, password, asNumber, peer, peerAs, breaks }) => [
      name,
      {
        ...{ ansible_host: host, ansible_port: port, ansible_user: username, ansible_password: password },
        ...(isReal
          ? { ansible_network_os: "frr.frr.frr" }
          : {
              ansible_network_os: "cisco.ios.ios",
              ...{ ansible_become: true, ansible_become_method: "enable" },
            }),
        ...{ as_number: asNumber, peer, right_as: peerAs, new_as: breaks ? wrongAs : peerAs },
      },
    ]),
  );
  const vars = {
    ansible_connection: "ansible.netcommon.network_cli",
    ansible_network_cli_ssh_type: "paramiko",
    ansible_python_interpreter: "/usr/bin/python3",
  };
  writeFileSync(join(folder, "inventory.json"), JSON.stringify({ all: { hosts, vars } }));
  writeFileSync(join(folder, "playbook.yml"), textOf(playbook));
  writeFileSync(
    join(folder, "ansible.cfg"),
    ["[defaults]", "host_key_checking=False", `forks=${forks}`, "localhost_warning=False"].join("\n"),
  );
  const child = spawn("ansible-playbook", ["-i", "inventory.json", "playbook.yml"], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    // Its sockets are in the home folder.
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: "C.UTF-8", ANSIBLE_NOCOLOR: "1" },
  });
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const exited = once(child, "exit").then(([code]) => (typeof code === "number" ? code : null));
  return {
    child,
    exited,
    output: () => text,
    clean() {
      for (const pid of readdirSync("/proc")) if (/^\d+$/.test(pid) && homeOf(pid) === folder) endNow(pid);
    },
  };
}

function homeOf(pid: string): string | undefined {
  try {
    return /(?:^|\0)HOME=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, "utf8"))?.[1];
  } catch {
    // It has ended.
    return undefined;
  }
}

function endNow(pid: string): void {
  try {
    process.kill(Number(pid), "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** @returns undefined if it is not here, or lacks the collections for network devices */
export function ansibleVersion(): string | undefined {
  const core = /core (\S+?)\]/.exec(run(["ansible-playbook", "--version"]).stdout)?.[1];
  const collections = run(["dpkg-query", "--show", "--showformat", "${Version}", "ansible"]);
  return core === undefined || collections.status !== 0
    ? undefined
    : `ansible-core ${core}, collections of Debian's ansible ${collections.stdout}`;
}
