/** The parsed form of an Ansible inventory, before variables are interpreted. */
import { inventoryTextLimits, requireCount } from "patchbay/plugin";

export interface AnsibleGroup {
  readonly at: string;
  readonly vars: Map<string, unknown>;
  readonly hosts: Set<string>;
  readonly children: Set<string>;
}

export interface AnsibleHost {
  readonly at: string;
  readonly vars: Map<string, unknown>;
}

export class AnsibleText {
  readonly groups = new Map<string, AnsibleGroup>();
  readonly hosts = new Map<string, AnsibleHost>();

  group(name: string, at: string): AnsibleGroup {
    const existing = this.groups.get(name);
    if (existing) return existing;
    const group = { at, vars: new Map(), hosts: new Set<string>(), children: new Set<string>() };
    this.groups.set(name, group);
    requireCount(this.groups.size, inventoryTextLimits.groups, "groups");
    return group;
  }

  host(name: string, at: string): AnsibleHost {
    const existing = this.hosts.get(name);
    if (existing) return existing;
    const host = { at, vars: new Map() };
    this.hosts.set(name, host);
    requireCount(this.hosts.size, inventoryTextLimits.devices, "devices");
    return host;
  }
}
