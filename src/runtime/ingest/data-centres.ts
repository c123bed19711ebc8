/**
 * Networks of providers that rent out machines: no one is connected to the internet by them, but visitors with a VPN or a relay of their
 * own come from there. Networks of which most traffic is that of relays and VPNs for people are left out (iCloud Private Relay, WARP, CDN77,
 * M247), and so are those that connect homes as well. Written down on 2026-11-29; registries list numbers by holder (RFC 1930).
 */

const NUMBERS_BY_PROVIDER: Readonly<Record<string, readonly number[]>> = {
  "Alibaba Cloud": [37_963, 45_102],
  "Amazon Web Services": [14_618, 16_509],
  ColoCrossing: [36_352],
  Contabo: [40_021, 51_167, 141_995],
  DigitalOcean: [14_061],
  "Equinix Metal": [54_825],
  "Fly.io": [40_509],
  FranTech: [53_667],
  GoDaddy: [26_496],
  "Google Cloud": [396_982],
  Hetzner: [24_940, 213_230],
  Hivelocity: [29_802],
  Hostinger: [47_583],
  "Huawei Cloud": [55_990, 136_907],
  "IBM Cloud": [36_351],
  IONOS: [8560],
  "Latitude.sh": [396_356],
  Leaseweb: [28_753, 30_633, 60_781],
  "Linode (Akamai)": [63_949],
  "Liquid Web": [32_244],
  "Microsoft Azure": [8075],
  netcup: [197_540],
  "Oracle Cloud": [31_898],
  OVHcloud: [16_276],
  QuadraNet: [8100],
  Rackspace: [19_994, 27_357, 33_070],
  Scaleway: [12_876],
  ServerMania: [55_286],
  "Tencent Cloud": [45_090, 132_203],
  UCloud: [135_377],
  "Unified Layer": [46_606],
  UpCloud: [202_053],
  Vultr: [20_473],
};

const NUMBERS: ReadonlySet<number> = new Set(Object.values(NUMBERS_BY_PROVIDER).flat());

export const isDataCentre = (asn: number): boolean => NUMBERS.has(asn);
