/** Removes secrets from a Cisco configuration, for `get_config` with `sanitized`. */
import { linesOf } from "./text.ts";

interface Rule {
  readonly pattern: RegExp;
  readonly replacement: string;
}

const removed = "<removed>";

/** Each pattern matches one line; groups are kept. */
const rules: readonly Rule[] = [
  { pattern: /^(snmp-server community).*$/, replacement: `$1 ${removed}` },
  {
    pattern: /^(snmp-server host \S+(?: vrf \S+)?(?: version (?:1|2c|3))?)\s+\S+((?:\s+\S+)*)\s*$/,
    replacement: `$1 ${removed} $2`,
  },
  // The engine ID appears twice, as in NAPALM.
  {
    pattern: /^(snmp-server user \S+(?: \S+)? auth md5) \S+ priv \S+ (localizedkey( engineID \S+)?)\s*$/,
    replacement: `$1 ${removed} priv ${removed} $2$3`,
  },
  // Other algorithms, which NAPALM leaves in.
  { pattern: /^(snmp-server user \S+(?: \S+)? auth \S+) (?!<removed>)\S+/, replacement: `$1 ${removed}` },
  {
    pattern: /^(snmp-server user .* priv(?: aes-\d+| aes \d+| des| 3des)?) (?!<removed>|aes|des|3des)\S+/,
    replacement: `$1 ${removed}`,
  },
  { pattern: /^(username .+ (?:password|secret) \d) .+$/, replacement: `$1 ${removed}` },
  { pattern: /^(enable (?:password|secret)(?: level \d+)? \d) .+$/, replacement: `$1 ${removed}` },
  { pattern: /^(\s+(?:password|secret)) (?:\d )?\S+$/, replacement: `$1 ${removed}` },
  { pattern: /^(.*wpa-psk ascii \d) (\S+)$/, replacement: `$1 ${removed}` },
  { pattern: /^(.*key 7) (\d.+)$/, replacement: `$1 ${removed}` },
  { pattern: /^(tacacs-server (?:.+ )?key) .+$/, replacement: `$1 ${removed}` },
  { pattern: /^(crypto isakmp key) \S+ (.*)$/, replacement: `$1 ${removed} $2` },
  { pattern: /^(\s+ip ospf message-digest-key \d+ md5) .+$/, replacement: `$1 ${removed}` },
  { pattern: /^(\s+ip ospf authentication-key) .+$/, replacement: `$1 ${removed}` },
  { pattern: /^(\s+neighbor \S+ password) .+$/, replacement: `$1 ${removed}` },
  { pattern: /^(\s+vrrp \d+ authentication text) .+$/, replacement: `$1 ${removed}` },
  { pattern: /^(\s+standby \d+ authentication) .{1,8}$/, replacement: `$1 ${removed}` },
  {
    pattern: /^(\s+standby \d+ authentication md5 key-string) .+?( timeout \d+)?$/,
    replacement: `$1 ${removed} $2`,
  },
  { pattern: /^(\s+key-string) .+$/, replacement: `$1 ${removed}` },
  { pattern: /^(\s+ppp (?:chap|pap) password \d) .+$/, replacement: `$1 ${removed}` },
];

/** Longer lines contain no secrets and are not searched, which bounds the cost of a rule. */
const maxLineLength = 4096;

/** The configuration with every secret replaced. */
export function withoutCiscoSecrets(config: string): string {
  let inServer = false;
  return linesOf(config)
    .map((line) => {
      if (line.length > maxLineLength) return line;
      if (!/^\s/.test(line)) inServer = /^(?:tacacs|radius) server \S/.test(line);
      const text = inServer ? line.replace(/^(\s+key) .+$/, `$1 ${removed}`) : line;
      return rules.reduce((now, { pattern, replacement }) => now.replace(pattern, replacement), text);
    })
    .join("\n");
}
