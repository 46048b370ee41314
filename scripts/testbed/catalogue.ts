/** The real servers used by tests: their requirements on Debian, and whether they are available. */
import { existsSync } from "node:fs";
import process from "node:process";

export interface Server {
  readonly name: string;
  readonly packages: readonly string[];
  /** Paths that exist if the packages are installed. */
  readonly files: readonly string[];
  /** What cannot be tested without it. */
  readonly tests: string;
}

export const servers = {
  openssh: {
    name: "openssh",
    packages: ["openssh-server", "openssh-client"],
    files: ["/usr/sbin/sshd", "/usr/bin/ssh-keygen"],
    tests: "SSH, Linux and file transfer against real OpenSSH",
  },
  frr: {
    name: "frr",
    packages: ["frr", "iproute2", "openssh-server"],
    files: ["/usr/lib/frr/zebra", "/usr/bin/vtysh", "/usr/sbin/sshd"],
    tests: "a real router's command line (FRR)",
  },
  bird: {
    name: "bird",
    packages: ["bird2", "openssh-server"],
    files: ["/usr/sbin/bird", "/usr/sbin/birdc", "/usr/sbin/sshd"],
    tests: "a real routing daemon that is configured in a file (BIRD)",
  },
  netconfd: {
    name: "netconfd",
    packages: ["netconfd", "openssh-server"],
    files: ["/usr/sbin/netconfd", "/usr/sbin/netconf-subsystem", "/usr/sbin/sshd"],
    tests: "a real NETCONF server whose commits wait for their confirmation",
  },
  snmpd: {
    name: "snmpd",
    packages: ["snmpd", "lldpd"],
    files: ["/usr/sbin/snmpd", "/usr/sbin/lldpd"],
    tests: "a real SNMP agent (Net-SNMP), and LLDP-MIB of a real neighbour protocol (lldpd)",
  },
  openvswitch: {
    name: "openvswitch",
    packages: ["openvswitch-switch", "openssh-server"],
    files: ["/usr/sbin/ovsdb-server", "/usr/bin/ovs-vsctl", "/usr/sbin/sshd"],
    tests: "a real switch whose configuration is a database (Open vSwitch)",
  },
  dropbear: {
    name: "dropbear",
    packages: ["dropbear-bin", "busybox"],
    files: ["/usr/sbin/dropbear", "/usr/bin/dropbearkey", "/usr/bin/busybox"],
    tests: "busybox ash over dropbear",
  },
  sudo: {
    name: "sudo",
    packages: ["sudo", "libpam-modules"],
    files: ["/usr/bin/sudo", "/etc/sudoers.d"],
    tests: "root by a password that PAM takes its time to judge",
  },
  shells: {
    name: "shells",
    packages: ["csh", "tcsh", "fish", "zsh", "mksh", "ksh93u+m", "rc"],
    files: [
      "/bin/bsd-csh",
      "/bin/tcsh",
      "/usr/bin/fish",
      "/bin/zsh",
      "/bin/mksh",
      "/bin/ksh93",
      "/usr/bin/rc.byron",
    ],
    tests: "accounts whose login shell is not bash",
  },
  telnetd: {
    name: "telnetd",
    packages: ["inetutils-telnetd", "socat", "login"],
    files: ["/usr/sbin/telnetd", "/usr/bin/socat", "/bin/login"],
    tests: "a login over real Telnet",
  },
  vsftpd: {
    name: "vsftpd",
    packages: ["vsftpd"],
    files: ["/usr/sbin/vsftpd"],
    tests: "templates from a real FTP server",
  },
  prometheus: {
    name: "prometheus",
    packages: ["prometheus"],
    files: ["/usr/bin/promtool"],
    tests: "metrics read by Prometheus' own checker",
  },
  git: {
    name: "git",
    packages: ["git"],
    files: ["/usr/bin/git"],
    tests: "an inventory that lies in a repository",
  },
  cvs: {
    name: "cvs",
    packages: ["cvs", "git-cvs"],
    files: ["/usr/bin/cvs", "/usr/lib/git-core/git-cvsimport", "/usr/bin/cvsps"],
    tests: "configurations that RANCID kept in CVS",
  },
  postgres: {
    name: "postgres",
    packages: ["postgresql-15"],
    files: ["/usr/lib/postgresql/15/bin/postgres", "/usr/lib/postgresql/15/bin/initdb"],
    tests: "the store on PostgreSQL",
  },
  pgbouncer: {
    name: "pgbouncer",
    packages: ["pgbouncer"],
    files: ["/usr/sbin/pgbouncer"],
    tests: "PostgreSQL behind a pooler",
  },
  gcc: {
    name: "gcc",
    packages: ["gcc", "libc6-dev"],
    files: ["/usr/bin/gcc", "/usr/include/stdio.h"],
    tests: "what a power cut leaves of the database",
  },
  tools: {
    name: "tools",
    packages: ["man-db", "unzip"],
    files: ["/usr/bin/man", "/usr/bin/unzip"],
    tests: "the manual page, and zips read by others",
  },
  chromium: {
    name: "chromium",
    packages: ["chromium-headless-shell"],
    files: ["/usr/bin/chromium-headless-shell"],
    tests: "the console in a real browser",
  },
} as const satisfies Record<string, Server>;

export type ServerName = keyof typeof servers;

export interface Missing {
  readonly name: string;
  readonly tests: string;
  readonly reason: string;
}

export const isRoot = () => process.getuid?.() === 0;

/** Why a server cannot be started here; undefined if it can. */
export function whyMissing(name: ServerName): string | undefined {
  const { files, packages }: Server = servers[name];
  if (!isRoot()) return "needs root: the server changes to the users that log in";
  const absent = files.filter((file) => !existsSync(file));
  if (absent.length === 0) return undefined;
  return `needs ${packages.join(" ")} (${absent.join(" ")} not found): run \`bun scripts/testbed/install.ts\``;
}

/**
 * For `describe.skipIf(needs("openssh"))`: returns true if the tests must be skipped, and prints the reason.
 * In CI it throws instead.
 */
export function needs(...names: readonly ServerName[]): boolean {
  for (const name of names) {
    const reason = whyMissing(name);
    if (reason === undefined) continue;
    const text = `${servers[name].tests}: ${reason}`;
    if (process.env.CI === "true") throw new Error(`In CI, no tests may be skipped. ${text}`);
    console.warn(`skipped: ${text}`);
    return true;
  }
  return false;
}
