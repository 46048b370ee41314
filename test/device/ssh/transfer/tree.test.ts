/** Directory listings from a server: names cannot escape, and sizes are bounded. */
import { expect, test } from "vitest";
import type { RemoteEntry, RemoteStat } from "../../../../src/device/ssh/transfer/sftp.ts";
import { filesOf, remoteTree } from "../../../../src/device/ssh/transfer/tree.ts";
import { failure } from "../support.ts";

const stat = (kind: RemoteStat["kind"], size = 1): RemoteStat => ({
  kind,
  size,
  mode: 0o644,
  uid: 1,
  gid: 1,
  mtime: 1,
});
const entry = (name: string, kind: RemoteStat["kind"] = "file"): RemoteEntry => ({ name, stat: stat(kind) });

/** A server that returns these entries for each path. */
function serving(entries: (path: string) => Iterable<readonly RemoteEntry[]>) {
  return {
    async *list(path: string) {
      yield* entries(path);
    },
  };
}

test("a directory tree lists files by folder, and names skipped links and devices", async () => {
  const server = serving((path) =>
    path === "/top"
      ? [
          [entry(".", "folder"), entry("..", "folder"), entry("a")],
          [entry("sub", "folder"), entry("l", "link")],
        ]
      : [[entry("b"), entry("zero", "other")]],
  );
  const tree = await remoteTree(server, "/top");
  expect([...filesOf(tree.root)].map(({ path }) => path)).toEqual(["a", "sub/b"]);
  expect(tree).toMatchObject({ files: 2, bytes: 2, skipped: ["l", "sub/zero"] });
});

test.each(["../x", "a/b", "/etc/passwd", "", "x\0y", "n".repeat(300)])(
  "a directory entry with the name %j is rejected",
  async (name) => {
    const error = await failure(
      remoteTree(
        serving(() => [[entry(name)]]),
        "/top",
      ),
    );
    expect(error.message).toContain("the server names an entry");
  },
);

test("directories that are too deep or have too many entries are rejected", async () => {
  const deep = await failure(
    remoteTree(
      serving(() => [[entry("d", "folder")]]),
      "/top",
    ),
  );
  expect(deep.message).toContain("more than 64 folders deep");
  const many = serving(function* () {
    for (;;) yield Array.from({ length: 1000 }, (_, at) => entry(`f${at}`));
  });
  expect((await failure(remoteTree(many, "/top"))).message).toContain("more than 100000 entries");
});
