// Mass of the mount in steel (R4), from the volumes of its parts.
const DENSITY = 7.85e-6; // kg/mm³
const parts = [
  { name: "plate", volume: 150_000, count: 1 },
  { name: "bracket", volume: 26_400, count: 2 },
  { name: "bolt and nut", volume: 4_150, count: 6 },
  { name: "rod", volume: 22_600, count: 1 },
];

let total = 0;
for (const { name, volume, count } of parts) {
  const mass = volume * count * DENSITY;
  total += mass;
  console.log(`${name.padEnd(14)} ${count} × ${mass.toFixed(3)} kg`);
}
console.log(`total          ${total.toFixed(3)} kg`);
