/** Texts that show the files of a server, one below the other, and the script that puts files back. */

import type { Remediation } from "../configtree/outcome.ts";
import { maskSecrets } from "./secrets/secrets.ts";

/** As the command that shows them prints it. */
const heading = /^# file: (\/.*)$/;
const endMark = "# end of files";
/** What a file has of these words is shown with a `#` more. */
const ownWords = /##( file: | end of files| refused: )/g;

/** The content of each file by its path; undefined: the text is none of files, or a path stands in it twice. */
export function filesIn(text: string): ReadonlyMap<string, string> | undefined {
  const lines = text.split("\n");
  while (lines.at(-1) === "") lines.pop();
  if (lines.pop() !== endMark) return undefined;
  const files = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of lines) {
    const path = heading.exec(line)?.[1];
    if (path === undefined) current?.push(line);
    else if (files.has(path)) return undefined;
    else {
      current = [];
      files.set(path, current);
    }
    if (current === undefined) return undefined;
  }
  return new Map([...files].map(([path, shown]) => [path, contentOf(shown)]));
}

/** Behind each file stands a line end of its own: one that ends with a line end has a blank line below it. */
function contentOf(shown: readonly string[]): string {
  const lines = shown.at(-1) === "" ? shown.slice(0, -1) : shown;
  return lines.map((line) => `${line.replaceAll(ownWords, "#$1")}\n`).join("");
}

/**
 * A script for a POSIX shell that gives a server the files of one text in place of those of another: each is written
 * beside its place and then moved there, with the mode and, for root, the owner of the one before. One that is gone from
 * the server gets the owner of its folder, and nobody else may read it if it holds a secret.
 * One that only the first text has may not have been asked for at the time of the other: the line that would remove it is
 * a comment.
 * @returns no lines if none differs; undefined if one of the texts is none of files
 */
export function filesScript(from: string, to: string): Remediation | undefined {
  const [before, wanted] = [filesIn(from), filesIn(to)];
  if (before === undefined || wanted === undefined) return undefined;
  const written = [...wanted].filter(([path, content]) => before.get(path) !== content);
  const others = [...before.keys()].filter((path) => !wanted.has(path));
  const lines = [
    ...(written.length === 0 ? [] : writing),
    ...written.flatMap(([path, content]) => {
      const end = endOf(content);
      return [
        `put ${quoted(path)} ${isPrivate(path, content) ? "600" : "644"} <<'${end}'`,
        ...`${content}${end}`.split("\n"),
      ];
    }),
    ...others.map((path) => `# rm -f -- ${quoted(path)}`),
  ];
  return { lines, doubts: others.length === 0 ? [] : ["files"] };
}

/** Places of secrets: a text of them may look like none. */
const privatePlace =
  /\/(?:netplan|system-connections|wireguard|private|ipsec\.d|swanctl|openvpn|ppp|frr|bird)\/|(?:key|secrets?|shadow|psk|\.pem|\.p12|\.pfx|wpa_supplicant[^/]*)$/;
const secretMark = /<secret [0-9a-f]{6}>|-----BEGIN [A-Z ]{0,40}PRIVATE KEY/;

function isPrivate(path: string, content: string): boolean {
  if (privatePlace.test(path) || secretMark.test(content)) return true;
  return maskSecrets(content.split("\n"), undefined, () => "").secrets.length > 0;
}

/**
 * The copy has the mode of the file, then its new content. It is in a folder of its own, whose name nobody can know
 * before: whoever may write beside the file cannot put a link there that root would follow.
 */
const writing: readonly string[] = [
  "set -eu",
  "put() {",
  '  f=$1; if [ -L "$f" ]; then f=$(readlink -f -- "$f"); fi',
  '  d=$(mktemp -d -- "$f.patchbay-XXXXXX")',
  `  trap 'rm -rf -- "$d"' EXIT`,
  '  if [ -e "$f" ]; then cp -p -- "$f" "$d/new"',
  '  else : > "$d/new"; chmod "$2" "$d/new"; chown "$(stat -c %u:%g -- "${f%/*}/")" "$d/new" 2>/dev/null || :; fi',
  '  cat > "$d/new"',
  '  mv -f -- "$d/new" "$f"',
  '  rmdir -- "$d"',
  "}",
];

/** No line of the content. */
function endOf(content: string): string {
  const lines = new Set(content.split("\n"));
  let end = "END-OF-FILE";
  for (let at = 2; lines.has(end); at++) end = `END-OF-FILE-${at}`;
  return end;
}

const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`)}'`;
