/** The files of an installed service besides the program itself. */

import { envName, settingDefault } from "../../config/config.ts";
import { type SettingName, secretSettings, settings } from "../../config/settings.ts";
import {
  account,
  dataDir,
  type Layout,
  type PlannedFile,
  secretsFile,
  settingsFile,
  unitName,
} from "./layout.ts";

export function plannedFiles(layout: Layout): PlannedFile[] {
  return [
    { path: `${layout.unitDir}/${unitName}`, mode: 0o644, content: unitText(layout) },
    { path: settingsFile, mode: 0o640, forService: true, keep: true, content: settingsText() },
    { path: secretsFile, mode: 0o600, keep: true, content: secretsText() },
  ];
}

/** The settings file with comments, generated from the definitions of the settings: all defaults, commented out. */
function settingsText(): string {
  const names = Object.keys(settings) as SettingName[];
  return [
    "# Settings of Patchbay. Commented-out lines show the defaults; `patchbay config --config <this file>`",
    "# prints what is in force, and refuses what the service would refuse.",
    `# Secrets (${secretSettings.map(envName).join(", ")})`,
    `# belong in ${secretsFile}, one NAME=value per line.`,
    ...names.filter((name) => !secretSettings.includes(name)).map(settingText),
    "",
    "# Settings of plugins are in tables of their own:",
    "# [plugins.vault_kv]",
    '# address = "https://vault.example:8200"',
    "",
  ].join("\n");
}

function settingText(name: SettingName): string {
  const { about } = settings[name];
  const value = settingDefault(name);
  const shown = value === undefined ? `${name} =` : `${name} = ${JSON.stringify(value)}`;
  return `\n# ${about}\n#${shown}`;
}

function secretsText(): string {
  return `# Secrets of Patchbay, read by systemd. Only root can read this file.\n${secretSettings
    .map((name) => `#${envName(name)}=\n`)
    .join("")}`;
}

/** The systemd unit: its own account, write access to its data only, and no privileges. */
function unitText({ program }: Layout): string {
  return `# Created by \`patchbay install\`. Put changes into a drop-in: systemctl edit patchbay
[Unit]
Description=Patchbay, network device automation over an HTTP API
Wants=network-online.target
After=network-online.target time-sync.target

[Service]
Type=notify
NotifyAccess=main
ExecStart=${program} serve --config ${settingsFile}
ExecReload=/bin/kill -HUP $MAINPID
Environment=PATCHBAY_DATA_DIR=${dataDir} PATCHBAY_LOG_FORMAT=json
EnvironmentFile=-${secretsFile}
WorkingDirectory=${dataDir}
User=${account}
Group=${account}
StateDirectory=patchbay
StateDirectoryMode=0700
RuntimeDirectory=patchbay
RuntimeDirectoryMode=0750
UMask=0077
Restart=always
RestartSec=2
# A store that is away is waited for.
TimeoutStartSec=infinity
# Running jobs get drain_seconds (30) to end.
TimeoutStopSec=60
KillMode=mixed
WatchdogSec=60
LimitNOFILE=65536

# Nothing of the system may be changed, and little of it is seen.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute is not set: the runtime compiles what it runs.

[Install]
WantedBy=multi-user.target
`;
}
