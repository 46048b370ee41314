/** Which files form a template set, and where templates of a set are found. */

import { describe, expect, test } from "vitest";
import { TemplateError } from "../../python/index.ts";
import { checkSet, chooseSetFiles } from "../install.ts";
import { libraryPath, readLibrary } from "../library.ts";
import { smallLibrary } from "./support.ts";

const names = [
  "LICENSE",
  "get/inventory.txt",
  "misc/Netmiko/cisco.txt",
  "platform/a_show_b.txt",
  "yang/x_y.txt",
];

describe("the files of a TTP set", () => {
  test.each(["", "ttp_templates/", "repo-0.5.9/ttp_templates/", "./repo/"])(
    "are found below '%s'",
    (folder) => {
      const paths = [
        ...names.map((name) => folder + name),
        `${folder}utils/models.py`,
        `${folder}ttp_templates.py`,
        `${folder}platform/__init__.py`,
        "repo-0.5.9/test/mock_data/get/x.txt",
        "README.md",
      ];
      expect(chooseSetFiles(paths)).toEqual(names.map((name) => ({ from: folder + name, to: name })));
    },
  );

  test("include a licence next to the folder", () => {
    const chosen = chooseSetFiles(["repo/LICENSE", "repo/docs/LICENSE", "repo/set/platform/a.txt"]);
    expect(chosen).toEqual([
      { from: "repo/LICENSE", to: "LICENSE" },
      { from: "repo/set/platform/a.txt", to: "platform/a.txt" },
    ]);
  });

  test("do not include paths outside the tree", () => {
    const chosen = chooseSetFiles([
      "platform/a.txt",
      "../platform/b.txt",
      "/platform/c.txt",
      "x/../platform/d.txt",
    ]);
    expect(chosen.map(({ to }) => to)).toEqual(["platform/a.txt"]);
  });

  test("are reported as missing with the searched folders", () => {
    expect(() => chooseSetFiles(["README.md", "get/x.txt", "index"])).toThrowError(/platform/);
  });
});

test("a template that does not load is named", async () => {
  const files: Record<string, string> = {
    "platform/a.txt": "{{ x }}",
    "platform/b.txt": "{{ x | re('[') }}",
  };
  const report = await checkSet({
    installed: true,
    list: () => Object.keys(files),
    read: (path) => files[path],
  });
  expect(report.templates).toBe(2);
  expect(report.problems.map(({ path }) => path)).toEqual(["platform/b.txt"]);
});

test.each([
  [{ platform: "cisco_ios", command: "show ip arp" }, "platform/cisco_ios_show_ip_arp.txt"],
  [
    { platform: "Cisco_IOS", command: "show running-config | section interface" },
    "platform/cisco_ios_show_running_config_pipe_section_interface.txt",
  ],
  [
    { platform: "juniper-junos", command: "show isis database verbose | no-more" },
    "platform/juniper_junos_show_isis_database_verbose_pipe_no_more.txt",
  ],
  [{ platform: "x", command: "a  b" }, "platform/x_a__b.txt"],
  [{ get: "inventory", platform: "x" }, "get/inventory.txt"],
  [{ get: "inventory.txt" }, "get/inventory.txt"],
  [{ yang: "openconfig-lldp", platform: "Cisco IOS" }, "yang/openconfig-lldp_cisco_ios.txt"],
  [{ misc: "Netmiko/cisco.ios.arp.txt" }, "misc/Netmiko/cisco.ios.arp.txt"],
  [{ path: "platform/x.txt", get: "y" }, "platform/x.txt"],
  [{ path: "ttp://misc/x.txt" }, "misc/x.txt"],
  [{ platform: "x" }, undefined],
  [{}, undefined],
])("the arguments %j select %s", (wanted, path) => {
  expect(libraryPath(wanted)).toBe(path);
});

test("a template path cannot leave the set", () => {
  for (const path of ["../x", "platform/../../x", "/etc/passwd", "platform/\0.txt"])
    expect(() => readLibrary(smallLibrary, path)).toThrow(TemplateError);
  expect(readLibrary(smallLibrary, "./platform//arista_eos_show_hostname.txt")).toContain("Hostname");
  expect(readLibrary(smallLibrary, "platform/nosuch.txt")).toBeUndefined();
});
