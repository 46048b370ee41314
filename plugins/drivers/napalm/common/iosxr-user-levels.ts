/** IOS XR user groups mapped to the privilege levels of other Cisco systems. */
export const iosxrUserLevels: Readonly<Record<string, number>> = {
  "root-system": 15,
  "root-lr": 15,
  operator: 5,
  sysadmin: 1,
  serviceadmin: 1,
};
