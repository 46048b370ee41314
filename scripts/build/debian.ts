/** Builds dist/patchbay_<version>_<arch>.deb: the files of `patchbay install --root` as a Debian package. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { run } from "./targets.ts";

/** Timestamp of all files, for reproducible packages. */
const sourceDate = String(Date.UTC(2026, 0, 1) / 1000);

export interface DebianOptions {
  /** The program for the package's architecture. */
  readonly program: string;
  /** A program that runs on this machine, to generate the files. */
  readonly runs: string;
  readonly architecture: string;
  readonly version: string;
}

/** @returns the package's path; undefined if dpkg-deb is not installed. */
export function debianPackage({ program, runs, architecture, version }: DebianOptions): string | undefined {
  if (Bun.which("dpkg-deb") === null) return undefined;
  const path = `dist/patchbay_${version}_${architecture}.deb`;
  const tree = mkdtempSync(resolve("dist", ".deb-"));
  try {
    const place = ["--program", "/usr/bin/patchbay", "--unit-dir", "/lib/systemd/system"];
    run([resolve(runs), "install", "--root", tree, "--from", resolve(program), ...place]);
    // The package's postinst creates it for the service account.
    rmSync(join(tree, "var"), { recursive: true });
    documents(tree, resolve(runs));
    control(tree, architecture, version);
    run(["chmod", "-R", "u=rwX,go=rX", join(tree, "usr"), join(tree, "lib")]);
    run(["find", tree, "-type", "d", "-exec", "chmod", "755", "{}", "+"]);
    const built = Bun.spawnSync(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z6", "--build", tree, path], {
      stdout: "ignore",
      stderr: "inherit",
      env: { PATH: "/usr/bin:/bin", SOURCE_DATE_EPOCH: sourceDate },
    });
    if (built.exitCode !== 0) throw new Error("dpkg-deb failed");
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
  return path;
}

function documents(tree: string, runs: string): void {
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(join(tree, path, ".."), { recursive: true });
    writeFileSync(join(tree, path), content);
  };
  const made = (...args: string[]) => Bun.spawnSync([runs, ...args]).stdout;
  write("usr/share/man/man1/patchbay.1.gz", gzipSync(made("manual"), { level: 9 }));
  write("usr/share/bash-completion/completions/patchbay", made("completion", "bash"));
  write("usr/share/zsh/vendor-completions/_patchbay", made("completion", "zsh"));
  write("usr/share/fish/vendor_completions.d/patchbay.fish", made("completion", "fish"));
  write("usr/share/doc/patchbay/copyright", made("licenses"));
  write("usr/share/doc/patchbay/changelog.gz", gzipSync(readFileSync("CHANGELOG.md"), { level: 9 }));
}

function control(tree: string, architecture: string, version: string): void {
  const folder = join(tree, "DEBIAN");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "control"),
    `Package: patchbay
Version: ${version}
Architecture: ${architecture}
Maintainer: The Patchbay authors <patchbay@localhost>
Section: net
Priority: optional
Depends: libc6 (>= 2.27), libgcc-s1, passwd
Description: network device automation service over an HTTP API
 Runs commands and pushes configuration on network devices and Linux servers.
 Jobs are queued on disk; a push is never run twice.
`,
  );
  writeFileSync(join(folder, "conffiles"), "/etc/patchbay/patchbay.toml\n/etc/patchbay/secrets.env\n");
  for (const name of ["postinst", "prerm", "postrm"]) {
    copyFileSync(join("scripts/build/debian", name), join(folder, name));
    run(["chmod", "755", join(folder, name)]);
  }
}
