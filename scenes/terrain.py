"""Writes scenes/terrain.toml: python3 scenes/terrain.py > scenes/terrain.toml

The heights are those of the benchmark's terrain: 100 x 100 cells of 1 m with a rising rim. A height field has its rows along y
and its heights along x, with z up; the orientation takes its x, y, z to the world's z, x, y, and both triangles of each cell
are then those of the benchmark, corner by corner."""
import math

N = 100


def height(x, z):
    rim = max(max(abs(x), abs(z)) - 42, 0)
    return 1.5 * math.sin(0.3 * x) * math.sin(0.25 * z) + 0.15 * rim ** 2


print("""# Two thousand boxes of 0.8 m fall on a landscape of 20,000 triangles, 100 m across: height 1.5 sin(0.3 x) sin(0.25 z), and
# 0.15 (d - 42)^2 more where d, the larger of |x| and |z|, exceeds 42. Written by terrain.py.

[world]
gravity = [0, -9.81, 0]
dt = 0.016666666666666666
steps = 400

[materials.stone]
friction = 0.6

[[repeat]]
kind = "grid"
count = [40, 50, 1]
spacing = [1.9, 1.5, 1]
jitter = [0.2, 0.2, 1.5]
tumble = true
seed = 3
body = { name = "box", position = [0, 4.5, 0], shape = { kind = "box", size = [0.8, 0.8, 0.8], material = "stone" } }

# Nothing falls through.
[expect]
max_penetration_end = [0, 0.05]
bodies."box[0]".y = [-2, 10]
bodies."box[999]".y = [-2, 10]
bodies."box[1999]".y = [-2, 10]

[[body]]
name = "ground"
motion = "static"
orientation = [0.5, -0.5, -0.5, -0.5]

[body.shape]
kind = "heightfield"
material = "stone"
size = [100, 100]
heights = [""")
for i in range(N + 1):
    row = ("%.9g" % height(i - N / 2, j - N / 2) for j in range(N + 1))
    print("[" + ",".join(row) + "],")
print("]")
