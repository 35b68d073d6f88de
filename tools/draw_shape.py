#!/usr/bin/env python3
"""Draws a shape of a .vtu file that elodyn wrote, undeformed in grey and deformed in colours of its displacement.

Usage: xvfb-run -a /usr/bin/python3 tools/draw_shape.py FILE.vtu FIELD SCALE IMAGE.png
The picture of the bladed rotor: `elodyn run examples/bladed_rotor/model.toml -o out`, then
    … tools/draw_shape.py out/rotor_modes.vtu mode_2_re 0.1 docs/images/bladed_rotor.png
Needs the packages python3-vtk9 and xvfb, which nothing else in this project needs.
"""
import sys

import vtk

VIRIDIS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))


def make_colours():
    table = vtk.vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for i in range(256):
        place = i / 255 * (len(VIRIDIS) - 1)
        k = min(int(place), len(VIRIDIS) - 2)
        colour = [(VIRIDIS[k][c] * (1 - place + k) + VIRIDIS[k + 1][c] * (place - k)) / 255 for c in range(3)]
        table.SetTableValue(i, *colour, 1)
    return table


def make_actor(grid):
    surface = vtk.vtkGeometryFilter()
    surface.SetInputData(grid)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(surface.GetOutputPort())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    return actor, mapper


def main(path, field, scale, image):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    warp = vtk.vtkWarpVector()
    warp.SetInputData(grid)
    warp.SetScaleFactor(float(scale))
    warp.SetInputArrayToProcess(0, 0, 0, 0, field)
    warp.Update()
    shape, vectors, size = warp.GetOutput(), grid.GetPointData().GetArray(field), vtk.vtkDoubleArray()
    for i in range(vectors.GetNumberOfTuples()):
        size.InsertNextValue(sum(c * c for c in vectors.GetTuple(i)) ** 0.5)
    shape.GetPointData().SetScalars(size)

    deformed, mapper = make_actor(shape)
    mapper.SetScalarRange(size.GetRange())
    mapper.SetLookupTable(make_colours())
    undeformed, mapper = make_actor(grid)
    mapper.ScalarVisibilityOff()
    undeformed.GetProperty().SetColor(0.75, 0.75, 0.75)
    undeformed.GetProperty().SetOpacity(0.35)
    renderer = vtk.vtkRenderer()
    renderer.AddActor(undeformed)
    renderer.AddActor(deformed)
    renderer.SetBackground(1, 1, 1)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(900, 420)
    window.AddRenderer(renderer)
    camera = renderer.GetActiveCamera()
    camera.SetPosition(0.9, -1.8, 0.75)
    camera.SetFocalPoint(0, 0, 0.25)
    camera.SetViewUp(0, 0, 1)
    renderer.ResetCamera()
    camera.Zoom(1.75)
    window.Render()
    picture = vtk.vtkWindowToImageFilter()
    picture.SetInput(window)
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(image)
    writer.SetInputConnection(picture.GetOutputPort())
    writer.Write()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
