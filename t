[2mat[0m  [2mstage[0m  [2mname[0m        [2mnodes[0m  [2mrules[0m    [2mms[0m  [2mmade by[0m
        0  acquired       45      0  0.00  [2mas it was loaded[0m
        1  inplace        45      0  0.05  [2mFunctionalise In-Place Operators[0m
        2  dce            45      0  0.04  [2mDead Code Elimination[0m
        3  fold           45      0  0.08  [2mFold[0m
        4  cse            45      0  0.03  [2mCommon Subexpression Elimination[0m
[32m>[0m       [1m5[0m  [1mjoint[0m         [1m156[0m     [1m50[0m  [1m0.31[0m  [2mJoint Trace with Gradients[0m
        6  joint.fold    155      7  0.09  [2mFold[0m
        7  joint.cse     155      0  0.06  [2mCommon Subexpression Elimination[0m
        8  joint.dce     134     21  0.08  [2mDead Code Elimination[0m
        9  split         135      1  0.30  [2mForward | Backward[0m
       10  remat         166     27  0.28  [2mRematerialization[0m
       11  claim         474    502  1.23  [2mTransform for Execution[0m
       12  join          473      1  0.08  [2mForward and Backward as One[0m
       13  fuse          146    435  1.77  [2mFusion[0m
       14  dce.2         146      0  0.02  [2mDead Code Elimination[0m
       15  plan          266    141  0.29  [2mDelete Last Used[0m
[2mat stage 5 of 15, joint; 156 nodes[0m
