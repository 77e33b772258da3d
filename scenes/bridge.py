"""Writes scenes/bridge.toml: python3 scenes/bridge.py > scenes/bridge.toml

The planks hang as a chain of equal rigid links does: the slope of plank k is c (k - 49.5), by the balance of each hinge."""
import math

COUNT, LENGTH, C = 100, 0.2, 0.008

angles = [math.atan(C * (k - (COUNT - 1) / 2)) for k in range(COUNT)]
points = [(0.0, 0.0)]
for a in angles:
    x, z = points[-1]
    points.append((x + LENGTH * math.cos(a), z + LENGTH * math.sin(a)))
shift = points[-1][0] / 2
points = [(x - shift, z + 3) for x, z in points]


def number(x):
    return f"{x:.12g}"


print(f"""# A bridge of {COUNT} planks between two banks: one closed loop of {COUNT} hinges and the ground. It hangs as its planks balance each other; three boxes
# of 10 kg, 50 kg and 200 kg fall on it and stay. A plank weighs 10 kg. Written by bridge.py.

[world]
dt = 0.008333333333333333
seconds = 60

[materials.wood]
friction = 0.8
density = 600
""")
for k, a in enumerate(angles):
    (x0, z0), (x1, z1) = points[k], points[k + 1]
    x, z = (x0 + x1) / 2, (z0 + z1) / 2
    # A slope upwards along x is a turn about -y.
    w, y = math.cos(a / 2), -math.sin(a / 2)
    print(f"""[[body]]
name = "plank {k}"
position = [{number(x)}, 0, {number(z)}]
orientation = [{number(w)}, 0, {number(y)}, 0]
mass = 10
shape = {{ kind = "box", size = [0.18, 1.2, 0.05], material = "wood" }}
""")
for k in range(COUNT + 1):
    x, z = points[k]
    parent = f'parent = "plank {k - 1}"\n' if 0 < k < COUNT else ""
    child = f"plank {min(k, COUNT - 1)}"
    print(f"""[[joint]]
name = "hinge {k}"
{parent}child = "{child}"
anchor = [{number(x)}, 0, {number(z)}]
axis = [0, 1, 0]
damping = 20
""")
for name, at, mass in (("small", -4, 10), ("middle", 0.5, 50), ("large", 3, 200)):
    z = min(points, key=lambda p: abs(p[0] - at))[1] + 0.5
    print(f"""[[body]]
name = "{name}"
position = [{at}, 0, {number(z)}]
mass = {mass}
shape = {{ kind = "box", size = [0.4, 0.4, 0.4], material = "wood" }}
""")
print("""# It hangs still: what drifts sags in every step.
[expect]
kinetic_energy = [0, 1e-3]
bodies."plank 50".speed = [0, 1e-3]
max_penetration_end = [0, 0.01]
""")
