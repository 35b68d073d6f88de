// A plate of 200 × 100 mm with a hole of 40 mm, lengths in mm.
//   gmsh -2 -format msh41 plate.geo -o plate.msh
Point(1) = {-100, -50, 0}; Point(2) = {100, -50, 0}; Point(3) = {100, 50, 0}; Point(4) = {-100, 50, 0};
Point(5) = {0, 0, 0};
Point(6) = {20, 0, 0}; Point(7) = {0, 20, 0}; Point(8) = {-20, 0, 0}; Point(9) = {0, -20, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Circle(5) = {6, 5, 7}; Circle(6) = {7, 5, 8}; Circle(7) = {8, 5, 9}; Circle(8) = {9, 5, 6};
Curve Loop(1) = {1, 2, 3, 4};
Curve Loop(2) = {5, 6, 7, 8};
Plane Surface(1) = {1, 2};

Physical Surface("plate") = {1};
Physical Curve("left") = {4};
Physical Curve("right") = {2};
Physical Curve("hole") = {5, 6, 7, 8};
Physical Point("west") = {8};
Physical Point("east") = {6};
Physical Point("crown") = {7};

MeshSize{1, 2, 3, 4} = 20;
MeshSize{6, 7, 8, 9} = 4.5;
Recombine Surface{1};               // quadrilaterals where they fit, triangles between them
Mesh.RecombinationAlgorithm = 0;
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;     // 8 nodes, not 9
